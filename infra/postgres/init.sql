-- Databases and roles: one of each per service, and no service can connect to a neighbour's database.
-- Run by psql 15 or later on an empty server, as superuser; passwords come from the environment:
--   BUDGET_DB_PASSWORD, PUBLICATION_DB_PASSWORD, REMINDER_DB_PASSWORD, RUNTIME_DB_PASSWORD, REVIEWER_DB_PASSWORD,
--   SOURCES_DB_PASSWORD
\set ON_ERROR_STOP on

\getenv password BUDGET_DB_PASSWORD
create role budget login password :'password';
create database budget owner budget;
revoke connect on database budget from public;

\getenv password PUBLICATION_DB_PASSWORD
create role publication login password :'password';
create database publication owner publication;
revoke connect on database publication from public;

\getenv password REMINDER_DB_PASSWORD
create role reminder login password :'password';
create database reminder owner reminder;
revoke connect on database reminder from public;

\getenv password RUNTIME_DB_PASSWORD
create role runtime login password :'password';
create database runtime owner runtime;
revoke connect on database runtime from public;

\getenv password REVIEWER_DB_PASSWORD
create role reviewer login password :'password';
create database reviewer owner reviewer;
revoke connect on database reviewer from public;

\getenv password SOURCES_DB_PASSWORD
create role sources login password :'password';
create database sources owner sources;
revoke connect on database sources from public;

-- Nor to the databases that belong to nobody.
revoke connect on database postgres from public;
revoke connect on database template1 from public;
