import type { Deployment } from '@muster/areas/change/deployments/deployments.contract.ts'
import { lazy, Suspense, useState } from 'react'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { CheckField } from '../../../ui/form/fields.tsx'
import { toastError } from '../../../ui/page/states.tsx'
import { many } from '../../../ui/text/quantity.ts'
import { useSteps } from './useSteps.ts'

const DeploymentForm = lazy(() =>
  import('./form/DeploymentForm.tsx').then((module) => ({ default: module.DeploymentForm })),
)

type Asked = 'edit' | 'start' | 'resume' | 'cancel'

/** The steps that are possible now. Those that reach devices ask first. */
export function Steps({ deployment }: { readonly deployment: Deployment }) {
  const { id, name, status, counts } = deployment
  const steps = useSteps(id)
  const [asked, setAsked] = useState<Asked | null>(null)
  const close = () => setAsked(null)
  const [stopRunning, setStop] = useState(false)
  const blocked = useCan()('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const isUnstarted = status === 'draft' || status === 'ready'
  const isOpen = status !== 'completed' && status !== 'cancelled'
  return (
    <>
      {isUnstarted && (
        <Button blocked={blocked} onClick={() => setAsked('edit')}>
          Edit
        </Button>
      )}
      {isOpen && !isUnstarted && (
        <Button blocked={blocked} onClick={() => setAsked('cancel')}>
          Cancel
        </Button>
      )}
      {(status === 'running' || status === 'scheduled') && (
        <Button
          blocked={blocked}
          busy={steps.pause.isPending}
          onClick={() => steps.pause.mutate(undefined, { onError: toastError })}
        >
          Pause
        </Button>
      )}
      {status === 'draft' && (
        <Button
          kind="primary"
          blocked={blocked}
          busy={steps.initialize.isPending}
          onClick={() => steps.initialize.mutate(undefined, { onError: toastError })}
        >
          Initialize
        </Button>
      )}
      {status === 'ready' && (
        <Button kind="primary" blocked={blocked} onClick={() => setAsked('start')}>
          Start
        </Button>
      )}
      {(status === 'paused' || status === 'halted') && (
        <Button kind="primary" blocked={blocked} onClick={() => setAsked('resume')}>
          Resume
        </Button>
      )}
      <Confirm
        open={asked === 'start'}
        close={close}
        title={`Start “${name}”?`}
        verb="Start deployment"
        act={() => steps.start.mutateAsync(undefined)}
      >
        {many(counts.total, 'device')} are sent the order, batch after batch.
      </Confirm>
      <Confirm
        open={asked === 'resume'}
        close={close}
        title={`Resume “${name}”?`}
        verb="Resume deployment"
        act={() => steps.resume.mutateAsync(undefined)}
      >
        The failures so far are accepted: {many(counts.failed, 'device')}. Further devices are sent the order.
      </Confirm>
      <Confirm
        open={asked === 'cancel'}
        close={close}
        title={`Cancel “${name}”?`}
        verb="Cancel deployment"
        danger
        act={() => steps.cancel.mutateAsync(stopRunning)}
      >
        <p className="mb-3">
          No further device is sent the order. {many(counts.running, 'device')} run it and finish, unless you stop them.
        </p>
        <CheckField label="Stop devices that run it" checked={stopRunning} onChange={setStop} />
      </Confirm>
      {asked === 'edit' && (
        <Suspense fallback={null}>
          <DeploymentForm deployment={deployment} close={close} />
        </Suspense>
      )}
    </>
  )
}
