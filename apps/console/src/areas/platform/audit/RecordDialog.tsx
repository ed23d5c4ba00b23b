import type { AuditLog } from '@muster/areas/platform/audit/logs.contract.ts'
import { useApiQuery } from '../../../queries.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Facts } from '../../../ui/display.tsx'
import { Failure, Loading } from '../../../ui/states.tsx'
import { Moment } from '../../../ui/time.tsx'
import { actionWords } from '../../tenancy/overview/auditLabels.ts'
import { resultWords } from './filters.ts'

/** One record: who, what and from where, and what it changed, field by field. */
export function RecordDialog({ id, close }: { readonly id: string; close(): void }) {
  const answer = useApiQuery((api) => api.audit.logs.get, { id }, { staleMs: 600_000 })
  const record = answer.data
  return (
    <Dialog open wide close={close} title={record ? actionWords(record.action) : 'Record'}>
      {record ? (
        <Record record={record} />
      ) : answer.error ? (
        <Failure error={answer.error} again={() => answer.refetch()} />
      ) : (
        <Loading />
      )}
    </Dialog>
  )
}

const written = (value: unknown) =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value, null, 1)
const asObject = (value: unknown): Readonly<Record<string, unknown>> =>
  value !== null && typeof value === 'object' ? { ...value } : {}

function Record({ record }: { readonly record: AuditLog }) {
  const { changes, changedFields: _, ...more } = record.details
  const fields = Object.entries(asObject(changes))
  return (
    <div className="grid gap-4">
      <Facts
        facts={[
          ['When', <Moment key="at" at={record.at} />],
          ['Who', record.actorEmail ?? record.actorType],
          ['From', record.ipAddress],
          ['To what', record.resourceName ?? record.resourceId ?? '–'],
          ['Result', resultWords.get(record.result)],
          ['Request', record.requestId],
          [
            'Place in the chain',
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
