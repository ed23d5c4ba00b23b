-- What allows the script of a command: agents run it only with this token, which admin signed.
ALTER TABLE device_commands ADD COLUMN script_grant text;
