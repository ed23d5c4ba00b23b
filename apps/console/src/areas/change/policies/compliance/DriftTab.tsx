import type { compliance } from '@muster/areas/change/device-policies/compliance/compliance.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ChartLine } from 'lucide-react'
import { useApiQuery } from '../../../../queries.ts'
import { usePlace } from '../../../../shell/place.ts'
import { LazyTimeChart } from '../../../../ui/chart/LazyTimeChart.tsx'
import { Select } from '../../../../ui/form/Select.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { Figures } from '../../../../ui/page/Figures.tsx'
import { Note, Pending } from '../../../../ui/page/states.tsx'
import { count, many } from '../../../../ui/text/quantity.ts'
import { HistoryTab } from '../page/HistoryTab.tsx'
import { percentText } from '../words.tsx'
import { sumOfPolicies, worstFirst } from './totals.ts'

type Summary = Awaited<ReturnType<typeof compliance.summary.output.parseAsync>>

/** How compliance moved in 30 days, and the latest changes of a policy: at first of the one with the most violations. */
export function DriftTab() {
  const { policy } = useSearch({ from: '/app/policies' })
  const navigate = useNavigate({ from: '/policies' })
  const { org } = usePlace()
  const answer = useApiQuery((client) => client.policies.compliance.summary, org === undefined ? {} : { orgId: org }, {
    everyMs: 15_000,
    keepLast: true,
  })
  if (!answer.data) return <Pending answer={answer} />
  const policies = worstFirst(answer.data.policies)
  const chosen = policies.find(({ id }) => id === policy) ?? policies[0]
  if (chosen === undefined)
    return (
      <Note icon={ChartLine} title="No active policies">
        Activate a policy to see which devices drift away from it.
      </Note>
    )
  const options = policies.map(
    ({ id, name, counts }) => [id, `${name} (${counts.nonCompliant} not compliant)`] as const,
  )
  return (
    <div className="grid gap-4">
      <Totals summary={answer.data} />
      <Card title="Compliance in 30 days">
        <Trend trend={answer.data.trend} />
      </Card>
      <section aria-label="Latest changes" className="grid gap-3">
        <header className="flex flex-wrap items-center justify-between gap-2">
          <h2 className="font-semibold">Latest changes</h2>
          <Select
            label="Policy"
            className="w-80"
            value={chosen.id}
            options={options}
            choose={(next) => void navigate({ search: (now) => ({ ...now, policy: next, page: undefined }) })}
          />
        </header>
        <div className="flex h-96 flex-col">
          <HistoryTab policyId={chosen.id} />
        </div>
      </section>
    </div>
  )
}

function Totals({ summary: { policies } }: { readonly summary: Summary }) {
  const { compliant, nonCompliant, error, pending, exempt, percent } = sumOfPolicies(policies)
  return (
    <Figures
      figures={[
        ['Compliance', percentText(percent), many(policies.length, 'active policy', 'active policies')],
        ['Compliant', count(compliant)],
        ['Not compliant', count(nonCompliant)],
        ['Errors and pending', count(error + pending)],
        ['Exempt', count(exempt)],
      ]}
    />
  )
}

const daySeconds = 86_400
const days = 30
const nothing = () => undefined

function Trend({ trend }: Pick<Summary, 'trend'>) {
  const to = Math.floor(Date.now() / 1_000 / daySeconds + 1) * daySeconds
  const at = trend.map(({ day }) => Date.parse(`${day}T12:00:00Z`) / 1_000)
  if (trend.length < 2)
    return (
      <p className="text-muted text-sm">
        The trend begins tomorrow. Muster counts each hour, and keeps one value for each day.
      </p>
    )
  return (
    <LazyTimeChart
      label="Compliance"
      from={to - days * daySeconds}
      to={to}
      at={at}
      most={100}
      series={[{ label: 'Compliance', color: 1, values: trend.map(({ compliancePercent }) => compliancePercent) }]}
      write={writePercent}
      zoom={nothing}
    />
  )
}

const writePercent = (value: number) => `${Math.round(value * 10) / 10}%`
