import type { Window } from '@muster/areas/control/maintenance/windows.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { AreaField, CheckField, SelectField, TextField } from '../../../../ui/form/fields.tsx'
import { TimezoneField } from '../../../../ui/form/TimezoneField.tsx'
import { useZone } from '../../../../ui/text/time.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { TargetFields } from '../../../fleet/targets/TargetFields.tsx'
import { allDevices } from '../../../fleet/targets/targetDraft.ts'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { DurationField } from './DurationField.tsx'
import { EffectFields } from './EffectFields.tsx'
import { RecurrenceFields } from './RecurrenceFields.tsx'
import { SkippedDates } from './SkippedDates.tsx'
import { WindowPreview } from './WindowPreview.tsx'
import { draftOfWindow, faultOfSchedule, newDraft, scheduleOf, type WindowDraft } from './windowDraft.ts'

interface Props {
  /** The window to edit. A new one is created without it. */
  readonly window?: Window
  close(): void
}

function useSave(window: Window | undefined, orgId: string | null, close: () => void) {
  return useApiMutation(
    (draft: WindowDraft) => {
      const given = { ...scheduleOf(draft), name: draft.name.trim(), description: draft.description.trim() || null }
      return window
        ? api.maintenance.windows.update.mutate({ id: window.id, ...given })
        : api.maintenance.windows.create.mutate({ ...given, ...(orgId && { orgId }) })
    },
    {
      refresh: ['maintenance'],
      done() {
        toast(window ? 'Maintenance window saved' : 'Maintenance window created')
        close()
      },
    },
  )
}

/** Schedule, devices and effects of a maintenance window, with its next occurrences. */
export function WindowForm({ window, close }: Props) {
  const owner = useOwner(window)
  const { orgId } = owner
  const zone = useZone()
  const [draft, setDraft] = useState(() => (window ? draftOfWindow(window, zone) : newDraft(zone)))
  const set = (part: Partial<WindowDraft>) => setDraft((now) => ({ ...now, ...part }))
  const fields = useFields(orgId ?? undefined)
  const save = useSave(window, orgId, close)
  const fault = owner.fault ?? faultOfSchedule(draft, fields)
  return (
    <SideForm
      open
      wide
      close={close}
      title={window ? `Edit ${window.name}` : 'New maintenance window'}
      verb={window ? 'Save window' : 'Create window'}
      busy={save.isPending}
      blocked={draft.name.trim() === '' ? 'Enter a name' : fault}
      error={save.error}
      submit={() => save.mutate(draft)}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <OwnerField
          {...owner}
          choose={(next) => {
            owner.choose(next)
            set({ targets: allDevices })
          }}
        />
      </div>
      <AreaField
        label="Description"
        optional
        rows={2}
        value={draft.description}
        onChange={({ target }) => set({ description: target.value })}
      />
      <ScheduleFields draft={draft} set={set} />
      <TargetFields orgId={orgId} value={draft.targets} change={(targets) => set({ targets })} />
      <EffectFields value={draft.effects} change={(effects) => set({ effects })} />
      <CheckField
        label="Verify that devices return"
        hint="Opens an alert for devices that are offline 15 minutes after the end."
        checked={draft.verifyReturn}
        onChange={(verifyReturn) => set({ verifyReturn })}
      />
      <WindowPreview
        orgId={orgId}
        draft={draft}
        fault={fault}
        skip={(exDate) => set({ exDates: [...new Set([...draft.exDates, exDate])].sort() })}
      />
    </SideForm>
  )
}

interface ScheduleProps {
  readonly draft: WindowDraft
  set(part: Partial<WindowDraft>): void
}

function ScheduleFields({ draft, set }: ScheduleProps) {
  const { startsAt, isPerSite, timezone, durationMinutes, recurrence, exDates } = draft
  return (
    <>
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField
          label="Start"
          hint="Local to the time zone"
          type="datetime-local"
          value={startsAt}
          onChange={({ target }) => set({ startsAt: target.value.slice(0, 16) })}
        />
        <DurationField minutes={durationMinutes} change={(minutes) => set({ durationMinutes: minutes })} />
        <SelectField
          label="Time zones"
          value={isPerSite ? 'site' : 'one'}
          onChange={({ target }) => set({ isPerSite: target.value === 'site' })}
        >
          <option value="one">One time zone</option>
          <option value="site">Each site’s time zone</option>
        </SelectField>
        {!isPerSite && (
          <TimezoneField
            label="Time zone"
            value={timezone}
            onChange={({ target }) => set({ timezone: target.value })}
          />
        )}
      </div>
      <RecurrenceFields value={recurrence} startsAt={startsAt} change={(next) => set({ recurrence: next })} />
      {recurrence.kind !== 'once' && (
        <SkippedDates exDates={exDates} startsAt={startsAt} change={(next) => set({ exDates: next })} />
      )}
    </>
  )
}
