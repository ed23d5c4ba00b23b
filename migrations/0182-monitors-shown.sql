-- What is shown of sealed headers and bodies, so that a list does not open them.
UPDATE monitors SET config = config || '{"headerNames": [], "hasBody": false}' WHERE type = 'http';
