import { hasEnded } from '@muster/areas/control/commands/commands.rules.ts'
import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { CircleStop, Play } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Select } from '../../../ui/Select.tsx'
import { Failure, Loading, Refusal } from '../../../ui/states.tsx'
import { useCurrent } from '../../fleet/devices/status.tsx'
import { CommandMark } from './CommandMark.tsx'
import { type Language, languagesOf } from './languages.ts'
import { useOutput } from './useOutput.ts'

// The heaviest parts of the console, so each comes alone.
const CodeEditor = lazy(() => import('../../../ui/CodeEditor.tsx').then((module) => ({ default: module.CodeEditor })))
const Terminal = lazy(() => import('../../../ui/Terminal.tsx').then((module) => ({ default: module.Terminal })))

/** Runs a script on this device and shows its output live. The address names the command, so a reload finds it again. */
export function RunTab({ device }: { readonly device: DeviceDetail }) {
  const { command: commandId } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const can = useCan()
  const { status } = useCurrent(device)
  const windows = device.osType === 'windows'
  const [language, setLanguage] = useState<Language>(windows ? 'powershell' : 'bash')
  const [script, setScript] = useState(windows ? 'Get-ComputerInfo -Property OsName, OsUptime\n' : 'uptime\n')
  const run = useApiMutation(
    () => api.devices.commands.create.mutate({ id: device.id, type: 'run_script', payload: { script, language } }),
    {
      refresh: ['devices.commands'],
      done: ({ id }) => void navigate({ search: (now) => ({ ...now, command: id }), replace: true }),
    },
  )
  const blocked =
    (!(can('devices:execute') && can('scripts:execute')) && 'You don’t have permission to run scripts on devices') ||
    (status === 'provisioned' && 'The device has no agent yet') ||
    (status === 'quarantined' && 'The device is quarantined and takes no commands') ||
    (status === 'decommissioned' && 'The device is decommissioned') ||
    (script.trim() === '' && 'Write a script first')
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="Language"
          className="w-36"
          value={language}
          options={languagesOf(device.osType)}
          choose={(next) => next && setLanguage(next)}
        />
        <Button kind="primary" blocked={blocked} busy={run.isPending} onClick={() => run.mutate()}>
          <Play aria-hidden className="size-4" />
          Run on {device.displayName ?? device.hostname}
        </Button>
        {status !== 'online' && !blocked && <span className="text-muted text-sm">Runs when the device reconnects</span>}
      </div>
      <Suspense fallback={<Loading lines={4} />}>
        <CodeEditor label="Script" language={language} value={script} change={setScript} />
      </Suspense>
      <Refusal error={run.error} />
      {commandId && <Running deviceId={device.id} commandId={commandId} />}
    </div>
  )
}

function Running({ deviceId, commandId }: { readonly deviceId: string; readonly commandId: string }) {
  const { status, exitCode, error, text, isCutOff, failure } = useOutput(deviceId, commandId)
  const cancel = useApiMutation(() => api.devices.commands.cancel.mutate({ id: deviceId, commandId }), {
    refresh: ['devices.commands'],
  })
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
          <Button small busy={cancel.isPending} onClick={() => cancel.mutate()}>
            <CircleStop aria-hidden className="size-4" />
            Cancel
          </Button>
        )}
      </div>
      <Refusal error={cancel.error} />
      <Suspense fallback={<Loading lines={4} />}>
        <Terminal key={commandId} text={text} />
      </Suspense>
    </section>
  )
}

const CutOff = () => (
  <span className="text-sm text-warn-text">Connection lost. The script keeps running; its output follows.</span>
)
