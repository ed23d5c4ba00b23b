import type { Column } from '../../../ui/table/DataTable.tsx'
import { OrganizationLink, SiteLink } from './PlaceLinks.tsx'

/** The organization of a row; “All organizations” for what belongs to a partner. */
export const organizationColumn: Column<{ readonly orgId: string | null }> = {
  id: 'org',
  header: 'Organization',
  width: 150,
  grow: 1,
  cell: ({ orgId }) => <OrganizationLink orgId={orgId} />,
}

/** The site of a row. */
export const siteColumn: Column<{ readonly orgId: string; readonly siteId: string | null }> = {
  id: 'site',
  header: 'Site',
  width: 130,
  grow: 1,
  cell: ({ orgId, siteId }) => <SiteLink orgId={orgId} siteId={siteId} />,
}
