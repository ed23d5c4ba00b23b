import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Page } from '../../../ui/Page.tsx'
import { SiteForm } from './SiteForm.tsx'
import { SiteTable } from './SiteTable.tsx'

/** The sites of all organizations that the user can access, or of the selected one. */
export function SitesPage() {
  const { org, form } = useSearch({ from: '/app/sites' })
  const navigate = useNavigate({ from: '/sites' })
  const me = useMe()
  const orgId = org ?? me.orgId ?? undefined
  const open = (next: 'new' | undefined) => void navigate({ search: (now) => ({ ...now, form: next }) })
  const add = (
    <Button
      kind="primary"
      blocked={useCan()('sites:write') ? undefined : 'You don’t have permission to edit sites'}
      onClick={() => open('new')}
    >
      <Plus aria-hidden className="size-4" />
      New site
    </Button>
  )
  return (
    <Page fill title="Sites" lead="Places with devices." actions={add}>
      <SiteTable orgId={orgId} withOrganization={!orgId} add={add} />
      {form === 'new' && <SiteForm orgId={orgId} close={() => open(undefined)} />}
    </Page>
  )
}
