import type { Automation } from '@muster/areas/change/automations/automations.contract.ts'
import { useState } from 'react'
import { useCan } from '../../../../session/session.tsx'
import { Button } from '../../../../ui/button/Button.tsx'
import { Form } from '../../../../ui/form/Form.tsx'
import { Card } from '../../../../ui/page/display.tsx'
import { Refusal } from '../../../../ui/page/states.tsx'
import { useZone } from '../../../../ui/text/time.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { AutomationFields, NameField } from './AutomationFields.tsx'
import { type AutomationDraft, automationDraftOf, changesOf, faultOfAutomation } from './automationDraft.ts'
import { useSave } from './useSave.ts'

interface Props {
  readonly automation: Automation
  /** Called with the secret of a webhook trigger that was just made. */
  showSecret(secret: string): void
}

/** What an automation does, to be changed. */
export function EditTab({ automation, showSecret }: Props) {
  const { id, orgId } = automation
  const zone = useZone()
  const [before, setBefore] = useState(() => automationDraftOf(automation, zone))
  const [draft, setDraft] = useState(before)
  const set = (part: Partial<AutomationDraft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useSave(draft, orgId, { id, draft: before }, ({ automation: saved, secret }) => {
    const next = automationDraftOf(saved, zone)
    setBefore(next)
    setDraft(next)
    if (secret !== undefined) showSecret(secret)
  })
  const mayWrite = useCan()('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const fault = faultOfAutomation(draft, useFields(orgId ?? undefined))
  const isSame = fault === undefined && Object.keys(changesOf(draft, before)).length === 0
  const shown = { draft, orgId, faultAt: save.faultAt, set }
  return (
    <Card>
      <Form submit={save.send} className="grid max-w-4xl gap-4">
        <NameField {...shown} />
        <AutomationFields {...shown} />
        <p className="text-muted text-sm">
          Who changes what an automation does becomes its owner. It then acts in your name.
        </p>
        <Refusal error={save.error} />
        <div className="flex gap-2">
          <Button
            kind="primary"
            type="submit"
            busy={save.isPending}
            blocked={mayWrite ?? fault ?? (isSame && 'No changes to save')}
          >
            Save automation
          </Button>
          <Button blocked={isSame && 'No changes to discard'} onClick={() => setDraft(before)}>
            Discard changes
          </Button>
        </div>
      </Form>
    </Card>
  )
}
