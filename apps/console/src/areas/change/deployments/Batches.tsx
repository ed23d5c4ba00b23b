import type { Deployment, DeploymentBatch } from '@muster/areas/change/deployments/deployments.contract.ts'
import { Badge, Card, type Tone } from '../../../ui/page/display.tsx'
import { count, many } from '../../../ui/text/quantity.ts'
import { Ago } from '../../../ui/text/time.tsx'
import { Gates } from './Gates.tsx'
import { Progress } from './Progress.tsx'
import { endedOf } from './words.tsx'

/** The batches in their order, as they are now. */
export function Batches({ deployment }: { readonly deployment: Deployment }) {
  if (deployment.batches.length === 0) return null
  return (
    <ol aria-label="Batches" className="grid gap-3 sm:grid-cols-2 xl:grid-cols-4">
      {deployment.batches.map((batch) => (
        <li key={batch.number}>
          <Batch
            deployment={deployment}
            batch={batch}
            isCurrent={batch.number === deployment.currentBatch}
            isHalted={deployment.status === 'halted'}
          />
        </li>
      ))}
    </ol>
  )
}

interface Props {
  readonly deployment: Deployment
  readonly batch: DeploymentBatch
  readonly isCurrent: boolean
  readonly isHalted: boolean
}

function Batch({ deployment, batch, isCurrent, isHalted }: Props) {
  const { number, counts, beganAt } = batch
  const [word, tone] = stateOf({ batch, isCurrent, isHalted })
  return (
    <Card title={`Batch ${number}`} actions={<Badge tone={tone}>{word}</Badge>}>
      <div className="grid gap-2 text-sm">
        <Progress counts={counts} />
        <p className="flex justify-between">
          <span>
            {count(endedOf(counts))} of {many(counts.total, 'device')}
          </span>
          <span className={counts.failed === 0 ? 'text-muted' : 'text-bad-text'}>{count(counts.failed)} failed</span>
        </p>
        <p className="text-muted text-xs">
          Began <Ago at={beganAt} never="not yet" />
        </p>
        <Gates deployment={deployment} batch={batch} />
      </div>
    </Card>
  )
}

function stateOf({ batch, isCurrent, isHalted }: Omit<Props, 'deployment'>): readonly [string, Tone] {
  if (batch.endedAt !== null) return ['Ended', 'good']
  if (isCurrent && isHalted) return ['Halted', 'bad']
  return batch.beganAt === null ? ['Waiting', 'plain'] : ['Under way', 'info']
}
