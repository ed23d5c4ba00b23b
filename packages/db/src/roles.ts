import pg from 'pg'
import { SchemaError } from './migrate.ts'

/** The logins of the processes. Neither owns a table. */
export const databaseRoles = { app: 'muster_app', system: 'muster_system' } as const

/** Creates the two logins, or sets the passwords of existing ones. @param ownerUrl login that may create roles */
export async function ensureRoles(options: {
  ownerUrl: string
  appPassword: string
  systemPassword: string
}): Promise<void> {
  const client = new pg.Client({ connectionString: options.ownerUrl, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await client.query('BEGIN')
    await client.query('SELECT pg_advisory_xact_lock(7301153)')
    for (const [name, password] of [
      [databaseRoles.app, options.appPassword],
      [databaseRoles.system, options.systemPassword],
    ] as const) {
      const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [name])
      const verb = rowCount === 0 ? 'CREATE' : 'ALTER'
      await client.query(`${verb} ROLE ${name} LOGIN NOINHERIT PASSWORD ${client.escapeLiteral(password)}`)
    }
    const { rows } = await client.query<{ name: string }>('SELECT current_database() AS name')
    const database = client.escapeIdentifier(rows[0]?.name ?? '')
    await client.query(`GRANT CONNECT ON DATABASE ${database} TO muster_app, muster_system`)
    // The job queue creates its own schema for its tables.
    await client.query(`CREATE SCHEMA IF NOT EXISTS pgboss`)
    await client.query(`GRANT ALL ON SCHEMA pgboss TO muster_system`)
    await client.query('GRANT USAGE ON SCHEMA public TO muster_app, muster_system')
    await client.query('COMMIT')
    await reserveConnections(client)
  } finally {
    await client.end()
  }
}

/**
 * Lets the logins use the connections of `reserved_connections`, so they can connect when all others are in use. Older
 * servers do not have this setting, and an owner that is not a superuser may not grant it.
 */
async function reserveConnections(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(`SELECT FROM pg_roles WHERE rolname = 'pg_use_reserved_connections'`)
  if (rowCount === 0) return
  await client
    .query('GRANT pg_use_reserved_connections TO muster_app, muster_system WITH INHERIT TRUE')
    .catch((error: unknown) => {
      const isRefused = error instanceof pg.DatabaseError && error.code === '42501'
      if (!isRefused) throw error
    })
}

/** The URL of the same database with another login. */
export function withLogin(url: string, user: string, password: string): string {
  const other = new URL(url)
  other.username = encodeURIComponent(user)
  other.password = encodeURIComponent(password)
  return other.href
}

/**
 * Rejects a login to which row-level security does not apply: a superuser, one with BYPASSRLS, or an owner of tables.
 * @throws SchemaError with the reason
 */
export async function refusePowerfulLogin(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; super: boolean; bypass: boolean; owner: boolean }>(
    `SELECT current_user AS name, r.rolsuper AS super, r.rolbypassrls AS bypass,
            EXISTS (SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                    WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND pg_has_role(current_user, c.relowner, 'MEMBER')) AS owner
     FROM pg_roles r WHERE r.rolname = session_user`,
  )
  const [login] = rows
  if (login === undefined) throw new SchemaError('The database login cannot read its own role')
  const why = login.super
    ? 'is a superuser'
    : login.bypass
      ? 'bypasses row-level security'
      : login.owner
        ? 'owns the tables'
        : null
  if (why === null) return
  throw new SchemaError(
    `The database login ${login.name} ${why}, so tenant isolation would not hold. Use the logins muster_app and muster_system.`,
  )
}
