import type { Provider } from '@muster/areas/access/sso/providers/providers.contract.ts'
import { Link, useSearch } from '@tanstack/react-router'
import { Fingerprint } from 'lucide-react'
import { useCan, useMe } from '../../../session/session.tsx'
import { ListPage } from '../../../ui/list/ListPage.tsx'
import { NoRows } from '../../../ui/list/NoRows.tsx'
import { useNewForm } from '../../../ui/list/newForm.tsx'
import { useList } from '../../../ui/list/useList.ts'
import type { Column } from '../../../ui/table/DataTable.tsx'
import { Ago } from '../../../ui/text/time.tsx'
import { organizationColumn } from '../../tenancy/tenancy/placeColumns.tsx'
import { ProviderForm } from './ProviderForm.tsx'
import { fullAccessRequired, ProviderBadge } from './status.tsx'

/** The identity providers of all organizations that the user can access, or of the selected one. */
export function ProvidersPage() {
  const { org } = useSearch({ from: '/app/sso' })
  const me = useMe()
  const list = useList((api) => api.sso.providers.list, org ? { orgId: org } : {})
  const creation = useNewForm('Add identity provider', useCan()('*:*') ? undefined : fullAccessRequired)
  return (
    <ListPage
      title="Single sign-on"
      lead="Users sign in with the account of their organization."
      actions={creation.button}
      label="Identity providers"
      list={list}
      columns={me.scope === 'organization' ? columns.filter(({ id }) => id !== 'org') : columns}
      rowId={({ id }) => id}
      empty={
        <NoRows icon={Fingerprint} title="No identity providers yet" action={creation.button}>
          Connect Microsoft Entra ID, Google Workspace, Okta or another OpenID Connect provider.
        </NoRows>
      }
    >
      {creation.isOpen && <ProviderForm orgId={org ?? me.orgId ?? undefined} close={creation.close} />}
    </ListPage>
  )
}

const columns: readonly Column<Provider>[] = [
  {
    id: 'name',
    header: 'Name',
    width: 180,
    grow: 2,
    cell: ({ id, name }) => (
      <Link to="/sso/$providerId" params={{ providerId: id }} className="rounded font-medium hover:text-accent-text">
        {name}
      </Link>
    ),
  },
  { id: 'status', header: 'Status', width: 100, cell: ({ status }) => <ProviderBadge status={status} /> },
  organizationColumn,
  {
    id: 'issuer',
    header: 'Issuer',
    width: 200,
    grow: 2,
    cell: ({ issuer }) => <code className="text-xs">{issuer}</code>,
  },
  {
    id: 'enforced',
    header: 'SSO required',
    width: 120,
    cell: ({ enforceSSO }) => (enforceSSO ? 'Yes' : <span className="text-muted">No</span>),
  },
  {
    id: 'scim',
    header: 'SCIM',
    width: 140,
    cell: ({ scim }) =>
      scim.tokenPrefix === null ? (
        <span className="text-muted">Off</span>
      ) : (
        <>
          used <Ago at={scim.lastUsedAt} />
        </>
      ),
  },
  { id: 'created', header: 'Created', width: 100, cell: ({ createdAt }) => <Ago at={createdAt} /> },
]
