import type { TemplateParameter } from '@muster/areas/watch/alerts/templates/parameters.contract.ts'
import { faultOfParameter } from '@muster/areas/watch/alerts/templates/parameters.contract.ts'
import { CheckField } from '../../../ui/form/fields.tsx'
import { spelledOut } from '../../../ui/text/words.ts'
import { ConditionEditor } from '../conditions/ConditionEditor.tsx'
import { conditionDraftOf, newConditions } from '../conditions/conditionDraft.ts'
import { conditionsText } from '../conditions/words.ts'
import { ParameterValueField } from '../templates/ParameterFields.tsx'
import { parameterValue } from '../templates/templateDraft.ts'
import { conditionsIn, type Origin, type RuleDraft } from './ruleDraft.ts'

interface Props {
  readonly origin: Origin
  readonly orgId: string | null
  readonly draft: RuleDraft
  readonly fault: string | undefined
  set(part: Partial<RuleDraft>): void
}

/** The conditions of a rule: its own, or those of its template with values for the parameters. */
export function RuleConditions({ origin, orgId, draft, fault, set }: Props) {
  const { template } = origin
  const { conditions } = draft
  const ownDraft = () => conditionDraftOf(conditionsIn(draft, origin)) ?? newConditions()
  return (
    <>
      {template && template.parameters.length > 0 && (
        <div className="grid gap-4 sm:grid-cols-2">
          {template.parameters.map((parameter) => (
            <ParameterValueField
              key={parameter.name}
              label={spelledOut(parameter.name)}
              type={parameter.type}
              hint={rangeText(parameter)}
              error={
                faultOfParameter(parameter, parameterValue(parameter.type, draft.parameters[parameter.name] ?? '')) ??
                undefined
              }
              value={draft.parameters[parameter.name] ?? ''}
              change={(value) => set({ parameters: { ...draft.parameters, [parameter.name]: value } })}
            />
          ))}
        </div>
      )}
      {template && (
        <CheckField
          label="Conditions of its own"
          hint="The rule no longer follows the conditions of its template."
          checked={conditions !== null}
          disabled={origin.rule?.overrides.includes('conditions') === true}
          onChange={(on) => set({ conditions: on ? ownDraft() : null })}
        />
      )}
      {conditions === null ? (
        <p className="rounded-md bg-sunken px-3 py-2 text-sm">{conditionsText(conditionsIn(draft, origin))}</p>
      ) : (
        <ConditionEditor draft={conditions} orgId={orgId} fault={fault} change={(next) => set({ conditions: next })} />
      )}
    </>
  )
}

const rangeText = ({ type, min, max }: TemplateParameter): string | undefined =>
  type === 'number' && min !== null && max !== null ? `From ${min} to ${max}.` : undefined
