import { useSearch } from '@tanstack/react-router'
import { useCan, useMe } from '../../../../session/session.tsx'
import { useNewForm } from '../../../../ui/list/newForm.tsx'
import { Page } from '../../../../ui/page/Page.tsx'
import { SiteForm } from './SiteForm.tsx'
import { SiteTable } from './SiteTable.tsx'

/** The sites of all organizations that the user can access, or of the selected one. */
export function SitesPage() {
  const { org } = useSearch({ from: '/app/sites' })
  const me = useMe()
  const orgId = org ?? me.orgId ?? undefined
  const mayWrite = useCan()('sites:write') ? undefined : 'You don’t have permission to edit sites'
  const creation = useNewForm('New site', mayWrite)
  return (
    <Page fill title="Sites" lead="Places with devices." actions={creation.button}>
      <SiteTable orgId={orgId} withOrganization={!orgId} add={creation.button} />
      {creation.isOpen && <SiteForm orgId={orgId} close={creation.close} />}
    </Page>
  )
}
