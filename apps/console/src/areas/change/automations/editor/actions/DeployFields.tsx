import { ChoiceField } from '../../../../../ui/form/ChoiceField.tsx'
import type { ActionProps } from '../editorProps.ts'
import { CommandFields } from './CommandFields.tsx'
import { ScriptFields } from './ScriptFields.tsx'

const kinds = [
  ['script', 'A script'],
  ['command', 'A command'],
] as const

/** What an action deploys to the devices of the run. */
export function DeployFields(props: ActionProps) {
  const { draft, faultAt, change } = props
  const { deploy } = draft
  const own = { ...props, faultAt: (part: string) => faultAt(`order.${part === 'command' ? 'type' : part}`) }
  return (
    <>
      <ChoiceField
        label="Deploy"
        hint={
          deploy.stored?.strategy === undefined
            ? 'To 1, 10, 50 and 100% of the devices, one batch after the other'
            : 'In the batches that the automation has'
        }
        value={deploy.kind}
        options={kinds}
        choose={(kind) => change({ ...draft, deploy: { ...deploy, kind } })}
      />
      {deploy.kind === 'script' ? <ScriptFields {...own} /> : <CommandFields {...own} />}
    </>
  )
}
