import type { Rule } from '@muster/areas/change/device-policies/rules/rules.contract.ts'
import { useFullList } from '../../../../queries.ts'
import { useCan } from '../../../../session/session.tsx'
import { Options, SelectField } from '../../../../ui/form/fields.tsx'
import { capital } from '../../../../ui/text/words.ts'

interface Props {
  readonly orgId: string | null
  readonly remediation: Rule['remediation']
  readonly error: string | undefined
  change(remediation: Rule['remediation']): void
}

/** The script that repairs a violation. A command that was set over the API stays until another is chosen. */
export function RemediationField({ orgId, remediation, error, change }: Props) {
  const scripts = useFullList((client) => client.scripts.scripts.list, orgId === null ? {} : { orgId }, {
    staleMs: 60_000,
    enabled: useCan()('scripts:read'),
  })
  const usable = (scripts.data ?? []).filter((script) => script.orgId === null || script.orgId === orgId)
  const choose = (scriptId: string) => {
    if (scriptId === 'command') return
    change(scriptId === '' ? null : { kind: 'script', scriptId, parameters: {} })
  }
  const value = remediation === null ? '' : remediation.kind === 'script' ? remediation.scriptId : 'command'
  return (
    <SelectField
      label="Remediation"
      optional
      hint="The script that repairs a violation. Policies of mode enforce run it by themselves."
      error={error}
      value={value}
      onChange={({ target }) => choose(target.value)}
    >
      <option value="">None</option>
      {remediation?.kind === 'command' && (
        <option value="command">Command: {capital(remediation.type.replaceAll('_', ' '))}</option>
      )}
      <Options of={usable} />
    </SelectField>
  )
}
