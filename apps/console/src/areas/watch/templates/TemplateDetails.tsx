import type { AlertTemplate } from '@muster/areas/watch/templates/templates.contract.ts'
import { Link } from '@tanstack/react-router'
import { useFullList } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { spelledOut } from '../../../ui/text/words.ts'
import { severityText } from '../alerts/words.ts'
import { lengthText } from '../conditions/words.ts'
import { useRecipientFacts } from '../rules/useRecipientFacts.ts'
import { usualConditions } from './usualConditions.ts'

/** What a template says, its parameters, and the rules that follow it. */
export function TemplateDetails({ template, close }: { readonly template: AlertTemplate; close(): void }) {
  const { name, description, severity, parameters, title, message } = template
  return (
    <Dialog
      open
      wide
      title={name}
      description={description}
      close={close}
      actions={<Button onClick={close}>Done</Button>}
    >
      <div className="grid gap-4">
        <Facts
          onlyKnown
          facts={[
            ['Severity', severityText(severity)],
            ['Conditions', usualConditions(template)],
            ['Opens after', template.forSeconds === 0 ? 'At once' : lengthText(template.forSeconds)],
            ['Clears after', template.clearForSeconds === 0 ? 'At once' : lengthText(template.clearForSeconds)],
            ['Resolves', template.autoResolve ? 'When the condition ends' : 'By hand'],
            ['Alert title', title],
            ['Alert message', message],
            ...useRecipientFacts(template),
          ]}
        />
        {parameters.length > 0 && (
          <section className="grid gap-1">
            <h3 className="font-medium text-sm">Parameters</h3>
            <Facts
              facts={parameters.map((each) => [
                spelledOut(each.name),
                `${each.default}${each.min === null ? '' : `, from ${each.min}`}${each.max === null ? '' : `, up to ${each.max}`}`,
              ])}
            />
          </section>
        )}
        <TemplateRules templateId={template.id} />
      </div>
    </Dialog>
  )
}

function TemplateRules({ templateId }: { readonly templateId: string }) {
  const rules = useFullList((api) => api.alerts.rules.list, {}).data?.filter((rule) => rule.templateId === templateId)
  return (
    <section className="grid gap-1 text-sm">
      <h3 className="font-medium">Rules</h3>
      {rules?.length === 0 && <p className="text-muted">No rule uses this template yet.</p>}
      <ul aria-label="Rules of the template" className="grid gap-1">
        {(rules ?? []).map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/alerts/rules/$ruleId"
              params={{ ruleId: id }}
              className="rounded hover:text-accent-text hover:underline"
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  )
}
