import type { ScriptSeverity } from '@muster/areas/change/scripts/exit-codes.contract.ts'
import type { ScriptSummary } from '@muster/areas/change/scripts/scripts.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { capital } from '../../../ui/text/words.ts'
import { languages } from '../../control/commands/languages.ts'

export const systems = [
  ['linux', 'Linux'],
  ['windows', 'Windows'],
  ['macos', 'macOS'],
] as const

const languageNames = new Map<string, string>(languages)
export const languageText = (language: string): string => languageNames.get(language) ?? language

const systemNames = new Map<string, string>(systems)
/** An empty list stands for all. */
export const systemsText = (osTypes: readonly string[]): string =>
  osTypes.length === 0 ? 'Any' : osTypes.map((each) => systemNames.get(each) ?? each).join(', ')

export const severities = [
  ['success', 'Success'],
  ['info', 'Info'],
  ['warning', 'Warning'],
  ['error', 'Error'],
  ['critical', 'Critical'],
] as const

const severityTones: Readonly<Record<ScriptSeverity, Tone>> = {
  success: 'good',
  info: 'info',
  warning: 'warn',
  error: 'bad',
  critical: 'bad',
}

export const RunSeverity = ({ severity }: { readonly severity: ScriptSeverity | null }) =>
  severity === null ? '–' : <Badge tone={severityTones[severity]}>{capital(severity)}</Badge>

/** What someone should know before a script runs. */
export function ScriptMarks({
  script: { warnings, updateAvailable, versionId, approvedVersionId },
}: {
  readonly script: Pick<ScriptSummary, 'warnings' | 'updateAvailable' | 'versionId' | 'approvedVersionId'>
}) {
  return (
    <span className="flex flex-wrap gap-1">
      {warnings.length > 0 && <Badge tone="warn">{many(warnings.length, 'warning')}</Badge>}
      {updateAvailable && <Badge tone="info">Update available</Badge>}
      {versionId !== approvedVersionId && <Badge tone="warn">Newest version not approved</Badge>}
    </span>
  )
}
