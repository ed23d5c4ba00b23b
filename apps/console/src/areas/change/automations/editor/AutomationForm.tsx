import { useState } from 'react'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { CheckField } from '../../../../ui/form/fields.tsx'
import { useZone } from '../../../../ui/text/time.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { AutomationFields, NameField } from './AutomationFields.tsx'
import { type AutomationDraft, faultOfAutomation, newAutomation } from './automationDraft.ts'
import { useSave } from './useSave.ts'

interface Props {
  done(saved: Parameters<Parameters<typeof useSave>[3]>[0]): void
  close(): void
}

/** A new automation. */
export function AutomationForm({ done, close }: Props) {
  const owner = useOwner(undefined)
  const { orgId } = owner
  const zone = useZone()
  const [draft, setDraft] = useState(() => newAutomation(zone))
  const set = (part: Partial<AutomationDraft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useSave(draft, orgId, undefined, (saved) => {
    close()
    done(saved)
  })
  const fault = faultOfAutomation(draft, useFields(orgId ?? undefined))
  const shown = { draft, orgId, faultAt: save.faultAt, set }
  return (
    <SideForm
      open
      wide
      close={close}
      title="New automation"
      verb="Create automation"
      busy={save.isPending}
      blocked={owner.fault ?? fault ?? false}
      error={save.error}
      submit={save.send}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <NameField {...shown} />
        <OwnerField
          {...owner}
          choose={(next) => {
            owner.choose(next)
            // Channels and custom fields belong to an organization.
            set({ actions: draft.actions.map((action) => ({ ...action, channelIds: [] })) })
          }}
        />
      </div>
      <CheckField
        label="Enabled"
        hint="Leave it off to try the automation with a dry run first."
        checked={draft.enabled}
        onChange={(enabled) => set({ enabled })}
      />
      <AutomationFields {...shown} />
    </SideForm>
  )
}
