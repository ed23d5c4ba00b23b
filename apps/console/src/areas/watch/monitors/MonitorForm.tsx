import type { Monitor } from '@muster/areas/watch/monitors/monitors.contract.ts'
import type { MonitorType } from '@muster/areas/watch/monitors/words.contract.ts'
import { useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../queries.ts'
import { useMe } from '../../../session/session.tsx'
import { usePlace } from '../../../shell/place.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { SideForm } from '../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { Options, SelectField, TextField } from '../../../ui/form/fields.tsx'
import { Refusal } from '../../../ui/page/states.tsx'
import { DevicePicker } from '../../fleet/targets/DevicePicker.tsx'
import { OrganizationField } from '../../tenancy/tenancy/organizations/OrganizationField.tsx'
import { ConfigFields } from './ConfigFields.tsx'
import { changesOf, draftOf, faultOf, type MonitorDraft, storedSecrets } from './monitorDraft.ts'
import { ProbeAnswers } from './ProbeAnswers.tsx'
import { types } from './words.tsx'

interface Props {
  /** The monitor to edit. A new one is created without it. */
  readonly monitor?: Monitor
  close(): void
}

const targets: Readonly<Record<MonitorType, readonly [string, string]>> = {
  ping: ['Host', 'A name or an address.'],
  tcp: ['Host', 'A name or an address.'],
  http: ['URL', 'Such as https://example.com/health.'],
  dns: ['Name', 'Such as example.com.'],
}

/** What a monitor checks, how often, and from where. The type cannot change later. */
export function MonitorForm({ monitor, close }: Props) {
  const me = useMe()
  const { org, site } = usePlace()
  const [draft, setDraft] = useState(() => draftOf(monitor, { orgId: org ?? me.orgId ?? '', siteId: site ?? null }))
  const set = (part: Partial<MonitorDraft>) => setDraft((now) => ({ ...now, ...part }))
  const save = useApiMutation(
    () =>
      monitor
        ? api.monitors.monitors.update.mutate({ id: monitor.id, ...changesOf(draft) })
        : api.monitors.monitors.create.mutate({ ...changesOf(draft), orgId: draft.orgId, type: draft.type }),
    {
      refresh: ['monitors'],
      done() {
        toast(monitor ? 'Monitor saved' : 'Monitor created, with an alert rule for “offline”')
        close()
      },
    },
  )
  const [label, hint] = targets[draft.type]
  const fault = faultOf(draft)
  return (
    <SideForm
      open
      wide
      close={close}
      title={monitor ? `Edit ${monitor.name}` : 'New monitor'}
      verb={monitor ? 'Save monitor' : 'Create monitor'}
      busy={save.isPending}
      blocked={fault}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <ChoiceField
          label="Type"
          disabled={monitor !== undefined}
          value={draft.type}
          options={types}
          choose={(type) => set({ type })}
        />
        <PlaceChoice draft={draft} isFixed={monitor !== undefined} set={set} />
      </div>
      <TextField
        label={label}
        hint={hint}
        spellCheck={false}
        value={draft.target}
        onChange={({ target }) => set({ target: target.value })}
      />
      <ConfigFields draft={draft} stored={storedSecrets(monitor)} set={set} />
      <RhythmFields draft={draft} set={set} />
      <DevicePicker
        label="Probe"
        none="Any connected device of the site. Select one to check addresses of the device itself, such as 127.0.0.1."
        orgId={draft.orgId}
        deviceId={draft.deviceId}
        choose={(deviceId) => set({ deviceId })}
      />
      {monitor && <Trial monitor={monitor} draft={draft} fault={fault} />}
    </SideForm>
  )
}

interface PartProps {
  readonly draft: MonitorDraft
  set(part: Partial<MonitorDraft>): void
}

function PlaceChoice({ draft: { orgId, siteId }, isFixed, set }: PartProps & { readonly isFixed: boolean }) {
  const organizations = useApiQuery((client) => client.tenancy.organizations.all, {}).data?.data
  const sites = useFullList((client) => client.tenancy.sites.list, { orgId }, { enabled: orgId !== '' }).data ?? []
  return (
    <>
      <OrganizationField
        organizations={organizations}
        disabled={isFixed}
        value={orgId}
        onChange={({ target }) => set({ orgId: target.value, siteId: null, deviceId: null })}
      />
      <SelectField
        label="Site"
        hint="Its devices check first."
        value={siteId ?? ''}
        onChange={({ target }) => set({ siteId: target.value || null })}
      >
        <option value="">All sites</option>
        <Options of={sites} />
      </SelectField>
    </>
  )
}

function RhythmFields({ draft, set }: PartProps) {
  const { intervalSeconds, timeoutSeconds, retries, degradedMs, probes } = draft
  return (
    <div className="grid items-start gap-4 sm:grid-cols-2">
      <TextField
        label="Interval (seconds)"
        type="number"
        min={10}
        max={86_400}
        value={intervalSeconds}
        onChange={({ target }) => set({ intervalSeconds: target.value })}
      />
      <TextField
        label="Timeout (seconds)"
        type="number"
        min={1}
        max={60}
        value={timeoutSeconds}
        onChange={({ target }) => set({ timeoutSeconds: target.value })}
      />
      <TextField
        label="Retries"
        hint="Offline after one more failed round than this."
        type="number"
        min={0}
        max={10}
        value={retries}
        onChange={({ target }) => set({ retries: target.value })}
      />
      <TextField
        label="Degraded above (milliseconds)"
        optional
        type="number"
        min={1}
        max={60_000}
        value={degradedMs}
        onChange={({ target }) => set({ degradedMs: target.value })}
      />
      <TextField
        label="Number of probes"
        hint="More than half of them have to agree."
        type="number"
        min={1}
        max={5}
        value={probes}
        onChange={({ target }) => set({ probes: target.value })}
      />
    </div>
  )
}

interface TrialProps {
  readonly monitor: Monitor
  readonly draft: MonitorDraft
  readonly fault: string | undefined
}

/** Runs the check once with the values of the form. Nothing is stored. */
function Trial({ monitor, draft, fault }: TrialProps) {
  const trial = useApiMutation(() => api.monitors.monitors.test.mutate({ id: monitor.id, ...changesOf(draft) }))
  return (
    <section aria-label="Test" aria-live="polite" className="grid gap-2 rounded-lg bg-sunken px-4 py-3">
      <span className="flex items-center justify-between gap-3 text-sm">
        <span className="text-muted">Run the check once with these values. Nothing is stored.</span>
        <Button small blocked={fault} busy={trial.isPending} onClick={() => trial.mutate(undefined)}>
          Test
        </Button>
      </span>
      {trial.data && !trial.isPending && <ProbeAnswers answers={trial.data.results} />}
      <Refusal error={trial.error} />
    </section>
  )
}
