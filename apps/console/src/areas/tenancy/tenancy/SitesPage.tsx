import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { usePlaceNames } from '../../fleet/devices/columns.tsx'
import { SiteForm } from './SiteForm.tsx'
import { SiteTable } from './SiteTable.tsx'

/** The sites of all organisations in reach, or of the chosen one. */
export function SitesPage() {
  const { page = 1, org, form } = useSearch({ from: '/app/sites' })
  const navigate = useNavigate({ from: '/sites' })
  const me = useMe()
  const orgId = org ?? me.orgId ?? undefined
  const { orgs } = usePlaceNames()
  const open = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const add = (
    <Button
      kind="primary"
      blocked={useCan()('sites:write') ? undefined : 'You need the permission to change sites'}
      onClick={() => open('new')}
    >
      <Plus aria-hidden className="size-4" />
      New site
    </Button>
  )
  return (
    <Page fill title="Sites" lead="The places where devices are." actions={add}>
      <SiteTable
        orgId={orgId}
        {...(!orgId && { orgName: (id: string) => orgs.get(id) })}
        page={page}
        add={add}
        setPage={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
      />
      {form === 'new' && <SiteForm orgId={orgId} close={() => open(undefined)} />}
    </Page>
  )
}
