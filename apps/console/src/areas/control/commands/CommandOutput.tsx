import { hasEnded } from '@muster/areas/control/commands/commands.rules.ts'
import { CircleStop } from 'lucide-react'
import { lazy, Suspense } from 'react'
import { useApiMutation } from '../../../queries.ts'
import { Button } from '../../../ui/button/Button.tsx'
import { Failure, Loading, Refusal } from '../../../ui/page/states.tsx'
import { CommandMark } from './CommandMark.tsx'
import type { OutputSource } from './followOutput.ts'
import { useOutput } from './useOutput.ts'

// One of the heaviest parts of the console, so it comes alone.
const Terminal = lazy(() => import('../../../ui/text/Terminal.tsx').then((module) => ({ default: module.Terminal })))

interface Props {
  readonly source: OutputSource
  cancel(): Promise<unknown>
}

/** What a command or a run writes, as it comes. */
export function CommandOutput({ source, cancel: stop }: Props) {
  const { status, exitCode, error, text, isCutOff, failure } = useOutput(source)
  const cancel = useApiMutation(stop, { refresh: ['devices.commands', 'scripts.executions'] })
  if (failure !== null) return <Failure error={failure} />
  if (status === null) return isCutOff ? <CutOff /> : <Loading lines={4} />
  return (
    <section aria-label="Output" className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3" role="status">
        <CommandMark status={status} />
        {exitCode !== null && <span className="text-muted text-sm">exit code {exitCode}</span>}
        {error && <span className="text-bad-text text-sm">{error}</span>}
        {isCutOff && <CutOff />}
        {!hasEnded(status) && (
          <Button small busy={cancel.isPending} onClick={() => cancel.mutate(undefined)}>
            <CircleStop aria-hidden className="size-4" />
            Cancel
          </Button>
        )}
      </div>
      <Refusal error={cancel.error} />
      <Suspense fallback={<Loading lines={4} />}>
        <Terminal key={source.id} text={text} />
      </Suspense>
    </section>
  )
}

const CutOff = () => (
  <span className="text-sm text-warn-text">Connection lost. The script keeps running; its output follows.</span>
)
