import { exports } from '@muster/areas/platform/audit/exports.contract.ts'
import { useMutation } from '@tanstack/react-query'
import { Download } from 'lucide-react'
import { withToken } from '../../../api.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Menu } from '../../../ui/Menu.tsx'
import { messageOf } from '../../../ui/states.tsx'
import { toast } from '../../../ui/toasts.tsx'
import { download } from '../../fleet/devices/csv.ts'
import { type AuditSearch, filtersOf } from './filters.ts'

type Format = 'csv' | 'json'

async function fileOf(search: AuditSearch, format: Format): Promise<Blob> {
  const { method, path } = exports.create
  const body = JSON.stringify({ ...filtersOf(search), ...(search.q && { q: search.q }), format })
  const answer = await withToken(`/api/v1${path}`, { method, body, headers: { 'content-type': 'application/json' } })
  if (answer.ok) return answer.blob()
  const said: unknown = await answer.json().catch(() => null)
  const message =
    said !== null && typeof said === 'object' && 'message' in said ? String(said.message) : answer.statusText
  throw new Error(message)
}

/** Exactly what the filters leave, as a file: all pages of it, oldest first. */
export function ExportMenu({ search }: { readonly search: AuditSearch }) {
  const allowed = useCan()('audit:export')
  const work = useMutation({
    mutationFn: (format: Format) => fileOf(search, format),
    onSuccess: (file, format) => download(`audit-${new Date().toISOString().slice(0, 10)}.${format}`, file),
    onError: (error) => toast(messageOf(error), { bad: true }),
  })
  if (!allowed) return <Button blocked="You need the permission to export the audit log">Export</Button>
  const entry = (format: Format, label: string) => ({ label, act: () => work.mutate(format) })
  return (
    <Menu
      trigger={
        <Button busy={work.isPending}>
          <Download aria-hidden className="size-4" />
          Export
        </Button>
      }
      groups={[[entry('csv', 'As CSV, for a spreadsheet'), entry('json', 'As JSON, with what proves it')]]}
    />
  )
}
