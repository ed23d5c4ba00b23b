import type { ScriptVersion } from '@muster/areas/change/script-library/versions.contract.ts'
import type { KeptScript } from '@muster/areas/change/scripts/scripts.contract.ts'
import { lazy, Suspense } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan, useMe } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Dialog } from '../../../ui/dialog/Dialog.tsx'
import { toast } from '../../../ui/dialog/toasts.tsx'
import { Facts } from '../../../ui/page/display.tsx'
import { Loading, Refusal } from '../../../ui/page/states.tsx'
import { WarningList } from './WarningList.tsx'
import { languageText } from './words.tsx'

const CodeDifference = lazy(() =>
  import('../../../ui/form/CodeDifference.tsx').then((module) => ({ default: module.CodeDifference })),
)

interface Props {
  readonly script: KeptScript
  readonly version: ScriptVersion
  /** The version before it. */
  readonly before: ScriptVersion | undefined
  close(): void
}

/** One version, with what it changed. */
export function VersionDialog({ script, version, before, close }: Props) {
  const me = useMe()
  const mayWrite = useCan()('scripts:write') ? undefined : 'You don’t have permission to change scripts'
  const ids = { id: script.id, versionId: version.id }
  const options = (words: string) => ({
    refresh: ['scripts', 'scriptLibrary'],
    done() {
      toast(words)
      close()
    },
  })
  const rollback = useApiMutation(
    () => api.scriptLibrary.versions.rollback.mutate({ ...ids, version: script.version }),
    options(`Version ${version.version} is the newest again`),
  )
  const approve = useApiMutation(() => api.scriptLibrary.versions.approve.mutate(ids), options('Version approved'))
  const reject = useApiMutation(() => api.scriptLibrary.versions.reject.mutate(ids), options('Version rejected'))
  const waits = version.status === 'pending_approval'
  const isOwn = version.createdBy === me.id
  return (
    <Dialog
      open
      wide
      title={`Version ${version.version}`}
      description={version.comment ?? undefined}
      close={close}
      actions={
        <>
          {version.id !== script.versionId && (
            <Button blocked={mayWrite} busy={rollback.isPending} onClick={() => rollback.mutate(undefined)}>
              Roll back to it
            </Button>
          )}
          {waits && (
            <Button kind="danger" blocked={mayWrite} busy={reject.isPending} onClick={() => reject.mutate(undefined)}>
              {isOwn ? 'Withdraw' : 'Reject'}
            </Button>
          )}
          {waits && (
            <Button
              kind="primary"
              blocked={mayWrite ?? (isOwn && 'Another person has to approve your version')}
              busy={approve.isPending}
              onClick={() => approve.mutate(undefined)}
            >
              Approve
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-4">
        <WarningList warnings={version.warnings} />
        <Facts
          facts={[
            ['Language', languageText(version.language)],
            ['Timeout', `${version.timeoutSeconds} s`],
            ['Runs as', version.runAs === 'system' ? 'The system account' : (version.runAsUser ?? 'Who is signed in')],
            ['Parameters', version.parameters.map(({ name }) => name).join(', ') || 'None'],
            ['SHA-256', <code key="hash">{version.sha256}</code>],
          ]}
        />
        <Suspense fallback={<Loading lines={6} />}>
          <CodeDifference
            label={before === undefined ? 'Content' : `Changes since version ${before.version}`}
            language={version.language}
            before={before?.content ?? version.content}
            after={version.content}
          />
        </Suspense>
        <Refusal error={rollback.error ?? approve.error ?? reject.error} />
      </div>
    </Dialog>
  )
}
