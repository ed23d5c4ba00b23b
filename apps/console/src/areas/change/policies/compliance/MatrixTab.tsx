import type { Counts } from '@muster/areas/change/device-policies/compliance/counts.contract.ts'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Grid3x3 } from 'lucide-react'
import { useApiQuery } from '../../../../queries.ts'
import { usePlace } from '../../../../shell/place.ts'
import { Pages } from '../../../../ui/list/Pages.tsx'
import { Note, Pending } from '../../../../ui/page/states.tsx'
import { countsText } from '../ComplianceBar.tsx'
import { Cell } from './Cell.tsx'

const rowsMax = 10
const everyMs = 30_000
const headClass = 'sticky left-0 z-10 min-w-40 bg-surface px-4 py-2 text-left font-medium'

/** Which part of the devices of each organization complies with each active policy. */
export function MatrixTab() {
  const { page = 1 } = useSearch({ from: '/app/policies' })
  const navigate = useNavigate({ from: '/policies' })
  const { org } = usePlace()
  const within = org === undefined ? {} : { orgId: org }
  const summary = useApiQuery((client) => client.policies.compliance.summary, within, { everyMs })
  const stats = useApiQuery((client) => client.policies.compliance.stats, within, { everyMs })
  if (!summary.data) return <Pending answer={summary} />
  if (!stats.data) return <Pending answer={stats} />
  const { policies } = summary.data
  const all = stats.data.byOrganization
  const first = (page - 1) * rowsMax
  if (policies.length === 0 || all.length === 0)
    return (
      <Note icon={Grid3x3} title="Nothing to compare">
        Activate a policy that is assigned to devices.
      </Note>
    )
  return (
    <div className="grid min-w-0 grid-cols-1 gap-2">
      <p className="text-muted text-sm">
        The share of devices that comply. Select a number to see the devices of the organization.
      </p>
      <div className="overflow-hidden rounded-xl border border-line bg-surface">
        <div tabIndex={0} role="region" aria-label="Compliance matrix" className="overflow-x-auto">
          <table className="w-full border-collapse text-sm">
            <thead>
              <tr className="border-line border-b text-muted">
                <th scope="col" className={headClass}>
                  Organization
                </th>
                <th scope="col" className="min-w-32 px-2 py-2 text-left font-medium">
                  All policies
                </th>
                {policies.map(({ id, name }) => (
                  <th key={id} scope="col" className="min-w-32 px-2 py-2 text-left align-bottom font-medium">
                    <Link
                      to="/policies/$policyId"
                      params={{ policyId: id }}
                      title={name}
                      className="line-clamp-2 rounded hover:text-accent-text hover:underline"
                    >
                      {name}
                    </Link>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {all.slice(first, first + rowsMax).map((row) => (
                <Row key={row.orgId} organization={row} policyIds={policies.map(({ id }) => id)} />
              ))}
            </tbody>
          </table>
        </div>
        {all.length > rowsMax && (
          <Pages
            page={page}
            limit={rowsMax}
            total={all.length}
            set={(next) => void navigate({ search: (now) => ({ ...now, page: next > 1 ? next : undefined }) })}
          />
        )}
      </div>
    </div>
  )
}

interface RowProps {
  readonly organization: Counts & {
    readonly orgId: string
    readonly name: string
    readonly compliancePercent: number | null
  }
  readonly policyIds: readonly string[]
}

/** One organization. Its counts of each policy are asked for by itself, so that a page asks for few. */
function Row({ organization, policyIds }: RowProps) {
  const { orgId, name, compliancePercent } = organization
  const { data } = useApiQuery((client) => client.policies.compliance.summary, { orgId }, { everyMs })
  const found = new Map(data?.policies.map((policy) => [policy.id, policy]))
  return (
    <tr className="border-line border-b last:border-b-0">
      <th scope="row" className={headClass}>
        <Link to="/policies" search={{ org: orgId, tab: 'matrix' }} className="rounded hover:underline">
          {name}
        </Link>
      </th>
      <td className="px-1 py-1">
        <Cell percent={compliancePercent} words={`${name}: ${countsText(organization)}`} />
      </td>
      {policyIds.map((policyId) => {
        const policy = found.get(policyId)
        const counted = policy && policy.counts.devices > policy.counts.notApplicable
        return (
          <td key={policyId} className="px-1 py-1">
            {data === undefined ? (
              <span className="px-2 text-muted">…</span>
            ) : policy && counted ? (
              <Link
                to="/policies/$policyId"
                params={{ policyId }}
                search={{ org: orgId, tab: 'compliance' }}
                className="block rounded"
              >
                <Cell
                  percent={policy.compliancePercent}
                  counts={policy.counts}
                  words={`${policy.name}, ${name}: ${countsText(policy.counts)}`}
                />
              </Link>
            ) : (
              <span className="px-2 text-muted" title="The policy concerns no device here">
                –
              </span>
            )}
          </td>
        )
      })}
    </tr>
  )
}
