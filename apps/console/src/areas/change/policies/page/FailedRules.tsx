import type { FailedRule } from '@muster/areas/change/device-policies/compliance/compliance.contract.ts'
import type { z } from 'zod'
import { SeverityBadge } from '../../../watch/alerts/status.tsx'
import { ComplianceBadge } from '../words.tsx'

export type Failed = z.infer<typeof FailedRule>

/** The rules that a device does not keep: what is expected, and what there is. */
export function FailedRules({ of }: { readonly of: readonly Failed[] }) {
  return (
    <ul aria-label="Failed rules" className="grid gap-3 text-sm">
      {of.map(({ key, severity, status, message, expected, actual }) => (
        <li key={key} className="grid gap-1 rounded-md border border-line p-3">
          <span className="flex flex-wrap items-center gap-2">
            <code className="font-medium">{key}</code>
            <SeverityBadge severity={severity} />
            <ComplianceBadge status={status} />
          </span>
          {message !== null && <p>{message}</p>}
          <dl className="grid grid-cols-[5rem_1fr] gap-x-3">
            <dt className="text-muted">Expected</dt>
            <dd className="min-w-0 break-words">{expected}</dd>
            <dt className="text-muted">Actual</dt>
            <dd className="min-w-0 break-words">{actual ?? 'unknown'}</dd>
          </dl>
        </li>
      ))}
    </ul>
  )
}

/** The same in one line, for tables. */
export const failedText = (failed: readonly Failed[]): string =>
  failed.map(({ key, expected, actual }) => `${key}: ${expected}, is ${actual ?? 'unknown'}`).join('; ')
