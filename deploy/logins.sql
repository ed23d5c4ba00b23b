-- The logins of the processes, without passwords: set these with ALTER ROLE. Run once in the new database, before the migrations.
CREATE ROLE muster_app LOGIN NOINHERIT;
CREATE ROLE muster_system LOGIN NOINHERIT;
GRANT CONNECT ON DATABASE :"DBNAME" TO muster_app, muster_system;
GRANT USAGE ON SCHEMA public TO muster_app, muster_system;
-- The job queue creates its tables in this schema itself.
CREATE SCHEMA IF NOT EXISTS pgboss;
GRANT ALL ON SCHEMA pgboss TO muster_system;
