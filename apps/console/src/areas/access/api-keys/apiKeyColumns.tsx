import type { ApiKey } from '@muster/areas/access/api-keys/keys.contract.ts'
import { RowMenu } from '../../../ui/button/RowMenu.tsx'
import { Tip } from '../../../ui/button/Tip.tsx'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

export const statusWords = [
  ['active', 'Active'],
  ['expired', 'Expired'],
  ['revoked', 'Revoked'],
] as const
const words = new Map<ApiKey['status'], string>(statusWords)
const tones: Readonly<Record<ApiKey['status'], Tone>> = { active: 'good', expired: 'warn', revoked: 'plain' }

type Act = (what: 'edit' | 'rotate' | 'revoke', of: ApiKey) => void

export const apiKeyColumns = (meId: string, mayWrite: string | undefined, act: Act): readonly Column<ApiKey>[] => [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ name, prefix }) => (
      <>
        <span className="font-medium">{name}</span> <code className="text-muted text-xs">{prefix}…</code>
      </>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ status }) => <Badge tone={tones[status]}>{words.get(status)}</Badge>,
  },
  {
    id: 'scopes',
    header: 'Permissions',
    width: 150,
    grow: 1,
    cell: ({ scopes }) =>
      scopes.length === 1 ? (
        <code className="text-xs">{scopes[0]}</code>
      ) : (
        <Tip text={scopes.join(', ')}>
          <span>{many(scopes.length, 'permission')}</span>
        </Tip>
      ),
  },
  {
    id: 'addresses',
    header: 'Allowed IPs',
    width: 120,
    cell: ({ allowedAddresses }) =>
      allowedAddresses.length === 0 ? <span className="text-muted">any</span> : allowedAddresses.join(', '),
  },
  {
    id: 'used',
    header: 'Last used',
    width: 170,
    cell: ({ lastUsedAt, lastUsedIp }) => (
      <>
        <Ago at={lastUsedAt} />
        {lastUsedIp && <span className="text-muted"> from {lastUsedIp}</span>}
      </>
    ),
  },
  { id: 'expires', header: 'Expires', width: 110, cell: ({ expiresAt }) => <Ago at={expiresAt} /> },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
  {
    id: 'actions',
    header: 'Actions',
    width: 80,
    cell: (key) => {
      const notOwn = key.userId === meId ? undefined : 'Only its creator can do this'
      const revoked = key.status === 'revoked' ? 'The key is revoked' : undefined
      return (
        <RowMenu
          name={key.name}
          groups={[
            [
              { label: 'Edit key', blocked: mayWrite ?? notOwn ?? revoked, act: () => act('edit', key) },
              { label: 'Rotate key', blocked: mayWrite ?? notOwn ?? revoked, act: () => act('rotate', key) },
            ],
            [{ label: 'Revoke key', danger: true, blocked: mayWrite ?? revoked, act: () => act('revoke', key) }],
          ]}
        />
      )
    },
  },
]
