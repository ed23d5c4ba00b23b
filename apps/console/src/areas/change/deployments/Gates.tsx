import type { Deployment, DeploymentBatch } from '@muster/areas/change/deployments/deployments.contract.ts'
import { useState } from 'react'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { Badge } from '../../../ui/page/display.tsx'
import { gateStatusWords, gateText, gateTones } from './gateWords.ts'
import { useSteps } from './useSteps.ts'

interface Props {
  readonly deployment: Pick<Deployment, 'id' | 'status'>
  readonly batch: DeploymentBatch
}

/** The gates of a batch, and the step of the person that one waits for. */
export function Gates({ deployment: { id, status }, batch: { number, gates } }: Props) {
  const { pass } = useSteps(id)
  const [isAsked, setAsked] = useState(false)
  const blocked = useCan()('automations:write') ? undefined : 'You don’t have permission to edit automations'
  const waits =
    status === 'running' &&
    gates.some((gate) => gate.type === 'person' && gate.status === 'waiting' && gate.since !== null)
  if (gates.length === 0) return null
  return (
    <>
      <ul aria-label="Gates" className="grid gap-1.5 border-line border-t pt-2">
        {gates.map((gate) => (
          <li key={gateText(gate)} className="flex items-start justify-between gap-2">
            <span>{gateText(gate)}</span>
            <Badge tone={gateTones[gate.status]}>
              {gate.passedBy === null ? gateStatusWords[gate.status] : 'Passed'}
            </Badge>
          </li>
        ))}
      </ul>
      {waits && (
        <div>
          <Button small kind="primary" blocked={blocked} onClick={() => setAsked(true)}>
            Pass gate
          </Button>
        </div>
      )}
      <Confirm
        open={isAsked}
        close={() => setAsked(false)}
        title={`Pass the gate of batch ${number}?`}
        verb="Pass gate"
        act={() => pass.mutateAsync(number)}
      >
        The next batch begins when all gates are green.
      </Confirm>
    </>
  )
}
