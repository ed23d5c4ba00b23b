import { Link } from '@tanstack/react-router'
import { usePlaceNames } from './placeNames.ts'

const linkClass = 'rounded hover:text-accent-text hover:underline'

/** The name of an organization, with a link to its page. What belongs to a partner has none. */
export function OrganizationLink({ orgId }: { readonly orgId: string | null }) {
  const name = usePlaceNames().orgs.get(orgId ?? '')
  if (orgId === null) return 'All organizations'
  return name === undefined ? (
    '–'
  ) : (
    <Link to="/organizations/$orgId" params={{ orgId }} className={linkClass}>
      {name}
    </Link>
  )
}

/** The name of a site, with a link to its devices. */
export function SiteLink({ orgId, siteId }: { readonly orgId: string; readonly siteId: string | null }) {
  const name = usePlaceNames().sites.get(siteId ?? '')
  return name === undefined || siteId === null ? (
    '–'
  ) : (
    <Link to="/devices" search={{ org: orgId, site: siteId }} className={linkClass}>
      {name}
    </Link>
  )
}
