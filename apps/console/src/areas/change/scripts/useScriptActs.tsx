import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { type ReactNode, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import type { MenuEntry } from '../../../ui/button/Menu.tsx'
import { Confirm } from '../../../ui/dialog/Confirm.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { ScriptForm } from './editor/ScriptForm.tsx'
import { RunForm } from './runs/RunForm.tsx'

type What = 'edit' | 'run' | 'update' | 'delete'

export interface ScriptActs {
  /** Why the script cannot be edited or run. */
  readonly mayWrite: string | undefined
  readonly mayRun: string | undefined
  /** The dialogs that the actions open. */
  readonly dialogs: ReactNode
  readonly groups: readonly (readonly MenuEntry[])[]
  open(what: What): void
}

function wordsOfUse({ kind, name }: KeptScript['usedBy'][number]): string {
  if (kind === 'execution') return `It runs on ${name}`
  return kind === 'approval' ? 'A run of it waits for approval' : `The ${kind} “${name}” uses it`
}

/** What can be done with a script. @param removed called after it was deleted */
export function useScriptActs(script: KeptScript, removed: () => void): ScriptActs {
  const [shown, setShown] = useState<What | null>(null)
  const close = () => setShown(null)
  const can = useCan()
  const mayWrite = can('scripts:write') ? undefined : 'You don’t have permission to change scripts'
  const mayRun = can('scripts:execute') ? undefined : 'You don’t have permission to run scripts'
  const refresh = ['scripts', 'scriptLibrary']
  const remove = useApiMutation(() => api.scripts.scripts.remove.mutate({ id: script.id }), {
    refresh,
    done() {
      toast('Script deleted')
      removed()
    },
  })
  const { origin, orgId } = script
  const update = useApiMutation(
    () =>
      api.scripts.systemScripts.import.mutate({
        ...{ id: origin?.systemScriptId ?? '', update: true },
        ...(orgId !== null && { orgId }),
      }),
    { refresh, done: () => toast('Script updated from the library') },
  )
  const [use] = script.usedBy
  return {
    mayWrite,
    mayRun,
    open: setShown,
    groups: [
      [
        { label: 'Edit script', blocked: mayWrite, act: () => setShown('edit') },
        ...(origin === null
          ? []
          : [{ label: 'Update from the library', blocked: mayWrite, act: () => setShown('update') }]),
      ],
      [
        {
          label: 'Delete script',
          danger: true,
          blocked:
            (can('scripts:delete') ? undefined : 'You don’t have permission to delete scripts') ??
            (use && wordsOfUse(use)),
          act: () => setShown('delete'),
        },
      ],
    ],
    dialogs: (
      <>
        {shown === 'edit' && <ScriptForm script={script} close={close} />}
        {shown === 'run' && <RunForm script={script} close={close} />}
        <Confirm
          open={shown === 'update'}
          close={close}
          title={`Update “${script.name}” from the library?`}
          verb="Update script"
          act={() => update.mutateAsync(undefined)}
        >
          The newest content of the library becomes a new version. The name, tags and exit codes stay.
        </Confirm>
        <Confirm
          danger
          open={shown === 'delete'}
          close={close}
          title={`Delete “${script.name}”?`}
          verb="Delete script"
          act={() => remove.mutateAsync(undefined)}
        >
          Its runs are kept. You cannot undo this.
        </Confirm>
      </>
    ),
  }
}
