import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'
import { useApiQuery } from '../../../queries.ts'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { Pending } from '../../../ui/page/states.tsx'
import { Moment } from '../../../ui/text/time.tsx'
import { actionWords } from '../../tenancy/overview/auditLabels.ts'
import { type AuditSearch, actorWords, resultWords } from './filters.ts'

interface Props {
  readonly id: string
  close(): void
  /** Lists the records that match. */
  narrow(filters: Pick<AuditSearch, 'user' | 'action'>): void
}

/** One record with its actor, target and changed fields. */
export function RecordDialog({ id, close, narrow }: Props) {
  const answer = useApiQuery((api) => api.audit.logs.get, { id }, { staleMs: 600_000 })
  const record = answer.data
  return (
    <Dialog open wide close={close} title={record ? actionWords(record.action) : 'Record'}>
      {record ? <Record record={record} narrow={narrow} /> : <Pending answer={answer} />}
    </Dialog>
  )
}

const written = (value: unknown) =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)
const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? { ...value } : {}

function Record({ record, narrow }: { readonly record: AuditLog } & Pick<Props, 'narrow'>) {
  const { changes, changedFields: _, ...more } = record.details
  const fields = Object.entries(asObject(changes))
  return (
    <div className="grid gap-4">
      <Facts
        facts={[
          ['Time', <Moment key="at" at={record.at} />],
          ['Actor', <Actor key="actor" record={record} narrow={narrow} />],
          ['IP address', record.ipAddress],
          ['Target', record.resourceName ?? record.resourceId ?? '–'],
          ['Result', resultWords.get(record.result)],
          ['Request ID', record.requestId],
          [
            'Position in the chain',
            record.sequence === null ? 'not yet' : `${record.sequence}, ${record.hash?.slice(0, 16)}…`,
          ],
        ]}
      />
      {fields.length > 0 && <Changes fields={fields} />}
      {Object.keys(more).length > 0 && (
        <Facts
          facts={Object.entries(more).map(([name, value]) => [
            name,
            <span key={name} className="whitespace-pre-wrap">
              {written(value)}
            </span>,
          ])}
        />
      )}
    </div>
  )
}

function Actor({
  record: { actorType, actorId, actorEmail },
  narrow,
}: { readonly record: AuditLog } & Pick<Props, 'narrow'>) {
  const name = actorEmail ?? actorWords.get(actorType)
  if (actorType !== 'user' || actorId === null) return name
  return (
    <button
      type="button"
      className="rounded font-medium text-accent-text hover:underline"
      onClick={() => narrow({ user: actorId })}
    >
      {name}
    </button>
  )
}

function Changes({ fields }: { readonly fields: readonly (readonly [string, unknown])[] }) {
  const heading = (text: string) => (
    <th scope="col" className="py-1 pr-2 font-medium">
      {text}
    </th>
  )
  return (
    <table className="w-full table-fixed text-left text-sm">
      <thead>
        <tr className="text-muted text-xs">
          {heading('Field')}
          {heading('Before')}
          {heading('After')}
        </tr>
      </thead>
      <tbody>
        {fields.map(([name, change]) => {
          const { before, after } = asObject(change)
          return (
            <tr key={name} className="border-line border-t align-top">
              <th scope="row" className="break-words py-1.5 pr-2 font-medium">
                {name}
              </th>
              <td className="whitespace-pre-wrap break-words bg-bad-soft px-2 py-1.5 text-bad-text">
                {written(before)}
              </td>
              <td className="whitespace-pre-wrap break-words bg-good-soft px-2 py-1.5 text-good-text">
                {written(after)}
              </td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
