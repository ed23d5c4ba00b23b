import { exports } from '@muster/areas/platform/audit/exports.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { withToken } from '../../../api.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Menu } from '../../../ui/button/Menu.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import { download } from '../../fleet/devices/list/csv.ts'
import { type AuditSearch, filtersOf } from './filters.ts'

type Format = 'csv' | 'json'

async function fileOf(search: AuditSearch, format: Format): Promise<Blob> {
  const { method, path } = exports.create
  const body = JSON.stringify({ ...filtersOf(search), ...(search.q && { q: search.q }), format })
  const answer = await withToken(`/api/v1${path}`, { method, body, headers: { 'content-type': 'application/json' } })
  if (answer.ok) return answer.blob()
  const failure: unknown = await answer.json().catch(() => null)
  const message =
    failure !== null && typeof failure === 'object' && 'message' in failure
      ? String(failure.message)
      : answer.statusText
  throw new Error(message)
}

/** Exports all records that match the filters, oldest first. */
export function ExportMenu({ search }: { readonly search: AuditSearch }) {
  const allowed = useCan()('audit:export')
  const work = useMutation({
    mutationFn: (format: Format) => fileOf(search, format),
    onSuccess: (file, format) => download(`audit-${new Date().toISOString().slice(0, 10)}.${format}`, file),
    onError: toastError,
  })
  if (!allowed) return <Button blocked="You don’t have permission to export the audit log">Export audit log</Button>
  const entry = (format: Format, label: string) => ({ label, act: () => work.mutate(format) })
  return (
    <Menu
      trigger={
        <Button busy={work.isPending}>
          <Download aria-hidden className="size-4" />
          Export audit log
        </Button>
      }
      groups={[[entry('csv', 'CSV, for spreadsheets'), entry('json', 'JSON, with the proof of integrity')]]}
    />
  )
}
