import pg from 'pg'

const name = 'Administrator without forced MFA'

/**
 * Gives the administrators of an installation a role with all permissions of System Admin, but without forced MFA, so
 * that tests and benchmarks sign in with a password alone.
 */
export async function withoutForcedMfa(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  try {
    await owner.query('BEGIN')
    await owner.query(
      `INSERT INTO roles (scope, name) SELECT 'system', $1::text WHERE NOT EXISTS (SELECT FROM roles WHERE scope = 'system' AND name = $1)`,
      [name],
    )
    await owner.query(
      `INSERT INTO role_permissions (role_id, permission_id)
       SELECT own.id, p.permission_id FROM roles own, role_permissions p JOIN roles r ON r.id = p.role_id
       WHERE own.scope = 'system' AND own.name = $1 AND r.is_system AND r.name = 'System Admin' ON CONFLICT DO NOTHING`,
      [name],
    )
    await owner.query(`UPDATE system_users SET role_id = (SELECT id FROM roles WHERE scope = 'system' AND name = $1)`, [
      name,
    ])
    await owner.query('COMMIT')
  } finally {
    await owner.end()
  }
}
