import type { Deployment } from '@muster/areas/change/deployments/deployments.contract.ts'
import { useState } from 'react'
import { api } from '../../../../api.ts'
import { useApiMutation, useApiQuery, useFullList } from '../../../../queries.ts'
import { SideForm } from '../../../../ui/dialog/SideForm.tsx'
import { toast } from '../../../../ui/dialog/toasts.tsx'
import { TextField } from '../../../../ui/form/fields.tsx'
import { useFields } from '../../../fleet/filters/useFields.ts'
import { TargetFields } from '../../../fleet/targets/TargetFields.tsx'
import { allDevices } from '../../../fleet/targets/targetDraft.ts'
import { OwnerField } from '../../../tenancy/tenancy/organizations/OwnerField.tsx'
import { useOwner } from '../../../tenancy/tenancy/organizations/useOwner.ts'
import { FormSection } from '../../../watch/FormSection.tsx'
import { BatchFields } from './BatchFields.tsx'
import { type DeploymentDraft, deploymentDraftOf, faultOfDraft, requestOf } from './deploymentDraft.ts'
import { GateFields } from './GateFields.tsx'
import { LimitFields } from './LimitFields.tsx'
import { hasFault } from './numbers.ts'
import { OrderFields } from './OrderFields.tsx'

interface Props {
  /** The deployment to edit. A new one is created without it. */
  readonly deployment?: Deployment
  done?(deployment: Deployment): void
  close(): void
}

/** The editor of a deployment that was not started. */
export function DeploymentForm({ deployment, done, close }: Props) {
  const owner = useOwner(deployment)
  const { orgId } = owner
  const [draft, setDraft] = useState(() => deploymentDraftOf(deployment))
  const set = (part: Partial<DeploymentDraft>) => setDraft((now) => ({ ...now, ...part }))
  const fields = useFields(orgId ?? undefined)
  const scripts = useFullList((client) => client.scripts.scripts.list, orgId === null ? {} : { orgId }).data ?? []
  const { kind, scriptId } = draft.order
  const isScript = kind === 'script' && scriptId !== ''
  const script = useApiQuery((client) => client.scripts.scripts.get, { id: scriptId }, { enabled: isScript }).data
  const save = useApiMutation(
    () => {
      const { order, ...given } = requestOf(draft, script)
      if (deployment !== undefined)
        return api.deployments.deployments.update.mutate({ id: deployment.id, ...given, ...(order && { order }) })
      if (order === undefined) throw new TypeError('a new deployment has an order')
      return api.deployments.deployments.create.mutate({ ...given, order, orgId })
    },
    {
      refresh: ['deployments'],
      done(saved) {
        toast('Deployment saved')
        close()
        done?.(saved)
      },
    },
  )
  const chooseOwner = (next: string | null) => {
    owner.choose(next)
    set({ targets: allDevices })
  }
  const fault =
    owner.fault ?? faultOfDraft(draft, script, fields) ?? (hasFault(draft) ? 'Correct the marked numbers' : undefined)
  return (
    <SideForm
      open
      wide
      close={close}
      title={deployment ? `Edit ${deployment.name}` : 'New deployment'}
      verb={deployment ? 'Save deployment' : 'Create deployment'}
      busy={save.isPending}
      blocked={fault ?? false}
      error={save.error}
      submit={() => save.mutate(undefined)}
    >
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <TextField label="Name" value={draft.name} onChange={({ target }) => set({ name: target.value })} />
        <OwnerField {...owner} choose={chooseOwner} />
        <TextField
          label="Description"
          optional
          value={draft.description}
          onChange={({ target }) => set({ description: target.value })}
        />
      </div>
      <FormSection title="Order">
        <OrderFields draft={draft.order} scripts={scripts} script={script} change={(order) => set({ order })} />
      </FormSection>
      <FormSection title="Targets">
        <TargetFields orgId={orgId} value={draft.targets} change={(targets) => set({ targets })} />
      </FormSection>
      <FormSection title="Batches">
        <BatchFields orgId={orgId} fields={fields} drafts={draft.batches} change={(batches) => set({ batches })} />
      </FormSection>
      <FormSection title="Limits">
        <LimitFields draft={draft} set={set} />
      </FormSection>
      <FormSection title="Gates">
        <GateFields fields={fields} drafts={draft.gates} change={(gates) => set({ gates })} />
      </FormSection>
      <FormSection title="Time">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            type="datetime-local"
            label="Start at"
            optional
            hint="Else when you start it"
            value={draft.startAt}
            onChange={({ target }) => set({ startAt: target.value })}
          />
          <TextField
            type="datetime-local"
            label="Deadline"
            optional
            hint="Else seven days after the start"
            value={draft.deadlineAt}
            onChange={({ target }) => set({ deadlineAt: target.value })}
          />
        </div>
      </FormSection>
    </SideForm>
  )
}
