/** Contracts with several resources. The list only shrinks. */
export const severalResources: readonly string[] = [
  'access/scim/scim.contract.ts',
  'access/sso/providers/providers.contract.ts',
  'control/rollouts/rollouts.contract.ts',
]

/** Resources that are tested in a file with another name. The list only shrinks. */
export const testedIn: Readonly<Record<string, string>> = {
  'access/auth/factors/phone': 'packages/areas/src/access/auth/factors/mfa.test.ts',
  'access/roles/permissions': 'packages/areas/src/access/roles/roles.test.ts',
  'access/scim/scim': 'test/gates/sso/scim-users.test.ts',
  'access/sso/flow': 'test/gates/sso/account-matching.test.ts',
  'access/users/profile': 'packages/areas/src/access/users/users.test.ts',
  'control/agent-versions/distribution': 'packages/areas/src/control/agent-versions/versions.test.ts',
  'control/commands/auto-update/auto-update': 'packages/areas/src/control/commands/commands.test.ts',
  'control/rollouts/pins': 'packages/areas/src/control/rollouts/rollouts.test.ts',
  'control/rollouts/updates/updates': 'packages/areas/src/control/rollouts/rollouts.test.ts',
  'control/system-tools/event-logs': 'test/system/system-tools.test.ts',
  'control/system-tools/files': 'test/system/system-tools.test.ts',
  'control/system-tools/processes': 'test/system/system-tools.test.ts',
  'control/system-tools/services': 'test/system/system-tools.test.ts',
  'control/system-tools/tasks': 'test/system/system-tools.test.ts',
  'fleet/devices/inventory/inventory': 'packages/areas/src/control/commands/output/output.test.ts',
  'platform/audit/exports': 'packages/areas/src/platform/audit/logs.test.ts',
  'platform/audit/reports': 'packages/areas/src/platform/audit/logs.test.ts',
  'platform/health/health': 'apps/admin/src/http.test.ts',
  'platform/queues/dead-letters': 'packages/areas/src/platform/queues/queues.test.ts',
  'platform/queues/jobs': 'packages/areas/src/platform/queues/queues.test.ts',
}
