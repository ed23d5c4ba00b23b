import type { DeviceDetail } from '@muster/areas/fleet/devices/devices.contract.ts'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Play } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { api } from '../../../api.ts'
import { useApiMutation } from '../../../queries.ts'
import { useCan } from '../../../session/session.tsx'
import { Button } from '../../../ui/button/Button.tsx'
import { Select } from '../../../ui/form/Select.tsx'
import { Loading, Refusal } from '../../../ui/page/states.tsx'
import { useCurrent } from '../../fleet/devices/status.tsx'
import { CommandOutput } from './CommandOutput.tsx'
import { firstLanguageOf, isMissing, type Language, languagesOf } from './languages.ts'

// One of the heaviest parts of the console, so it comes alone.
const CodeEditor = lazy(() =>
  import('../../../ui/form/CodeEditor.tsx').then((module) => ({ default: module.CodeEditor })),
)

/** Of languages that are no Unix shells. */
const firstScripts: Readonly<Partial<Record<Language, string>>> = {
  powershell: 'Get-ComputerInfo -Property OsName, OsUptime\n',
  cmd: 'ver\n',
  python: 'import platform\nprint(platform.platform())\n',
}

/** Runs a script on this device and shows its output live. The address names the command, so a reload finds it again. */
export function RunTab({ device }: { readonly device: DeviceDetail }) {
  const { command: commandId } = useSearch({ from: '/app/devices/$deviceId' })
  const navigate = useNavigate({ from: '/devices/$deviceId' })
  const can = useCan()
  const { status } = useCurrent(device)
  const [language, setLanguage] = useState(() => firstLanguageOf(device))
  const [script, setScript] = useState(firstScripts[language] ?? 'uptime\n')
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
    (isMissing(device, language) && 'This language is not installed on the device') ||
    (script.trim() === '' && 'Write a script first')
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-center gap-2">
        <Select
          label="Language"
          className="w-36"
          value={language}
          options={languagesOf(device)}
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
      {commandId && <DeviceOutput deviceId={device.id} commandId={commandId} />}
    </div>
  )
}

function DeviceOutput({ deviceId, commandId }: { readonly deviceId: string; readonly commandId: string }) {
  return (
    <CommandOutput
      key={commandId}
      source={{ kind: 'command', id: commandId, deviceId }}
      cancel={() => api.devices.commands.cancel.mutate({ id: deviceId, commandId })}
    />
  )
}
