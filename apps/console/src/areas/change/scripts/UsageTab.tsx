import { useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { Select } from '../../../ui/form/Select.tsx'
import { Card } from '../../../ui/page/display.tsx'
import { Figures } from '../../../ui/page/Figures.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'

const spans = [
  ['7', 'Last 7 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
] as const

const percentText = (percent: number | null) => (percent === null ? '–' : `${percent}%`)
const secondsText = (ms: number | null) => (ms === null ? '–' : `${(ms / 1_000).toFixed(1)} s`)

/** How often a script ran, and with which success. */
export function UsageTab({ scriptId }: { readonly scriptId: string }) {
  const [days, setDays] = useState<'7' | '30' | '90'>('30')
  const answer = useApiQuery(
    (client) => client.scriptLibrary.usage.get,
    { id: scriptId, days: Number(days) },
    { keepLast: true, everyMs: 60_000 },
  )
  if (!answer.data) return <Pending answer={answer} />
  const { runs, succeeded, failed, successPercent, devices, durationMs, lastRunAt, byDay, byVersion } = answer.data
  const most = Math.max(1, ...byDay.map((day) => day.runs))
  return (
    <div className="grid gap-4">
      <div>
        <Select label="Time" value={days} options={spans} choose={(next) => next && setDays(next)} />
      </div>
      <Figures
        figures={[
          ['Runs', count(runs), `on ${many(devices, 'device')}`],
          ['Success', percentText(successPercent), `${count(succeeded)} succeeded, ${count(failed)} failed`],
          ['Median duration', secondsText(durationMs.p50)],
          ['95th percentile', secondsText(durationMs.p95)],
          ['Last run', <Ago key="last" at={lastRunAt} never="never" />],
        ]}
      />
      <Card title="Runs per day">
        <div role="img" aria-label={`${runs} runs in ${days} days`} className="flex h-24 items-end gap-px">
          {byDay.map((day) => (
            <span
              key={day.date}
              title={`${day.date}: ${many(day.runs, 'run')}, ${day.failed} failed`}
              className="flex h-full min-w-0 flex-1 flex-col justify-end"
            >
              <span className="bg-bad" style={{ height: `${(100 * day.failed) / most}%` }} />
              <span className="bg-accent" style={{ height: `${(100 * (day.runs - day.failed)) / most}%` }} />
            </span>
          ))}
        </div>
      </Card>
      <Card title="Versions" flush>
        <table className="w-full text-sm">
          <thead>
            <tr className="text-left text-muted text-xs">
              <th className="px-4 py-2 font-medium">Version</th>
              <th className="px-4 py-2 text-right font-medium">Runs</th>
              <th className="px-4 py-2 text-right font-medium">Failed</th>
              <th className="px-4 py-2 text-right font-medium">Success</th>
            </tr>
          </thead>
          <tbody>
            {byVersion.map((each) => (
              <tr key={each.versionId} className="border-line border-t">
                <td className="px-4 py-2">{each.version}</td>
                <td className="px-4 py-2 text-right tabular">{count(each.runs)}</td>
                <td className="px-4 py-2 text-right tabular">{count(each.failed)}</td>
                <td className="px-4 py-2 text-right tabular">{percentText(each.successPercent)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Card>
    </div>
  )
}
