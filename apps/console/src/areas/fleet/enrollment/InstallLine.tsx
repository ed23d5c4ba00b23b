import type { InstallCommands } from '@muster/areas/fleet/enrollment/codes/install-commands.contract.ts'
import { type KeyboardEvent, useId, useState } from 'react'
import { useApiQuery } from '../../../queries.ts'
import { CopyText } from '../../../ui/page/display.tsx'

type System = keyof InstallCommands
const systems = ['linux', 'windows', 'macos'] as const satisfies readonly System[]
const words: Readonly<Record<System, { readonly name: string; readonly where: string }>> = {
  linux: { name: 'Linux', where: 'Run it in a terminal of the machine.' },
  windows: { name: 'Windows', where: 'Run it in a Command Prompt or PowerShell that you opened as administrator.' },
  macos: { name: 'macOS', where: 'Run it in Terminal on the Mac.' },
}
const tabClass =
  'rounded-md px-3 py-1 font-medium text-muted text-sm hover:text-ink aria-selected:bg-surface aria-selected:text-ink aria-selected:shadow-sm'

/** The command that installs the agent, with a tab for each operating system. */
export function InstallLine({ commands }: { readonly commands: InstallCommands }) {
  const [system, setSystem] = useState<System>('linux')
  const id = useId()
  const isMissing = useIsMissing(system)
  const step = ({ key, currentTarget }: KeyboardEvent<HTMLElement>) => {
    const by = key === 'ArrowRight' ? 1 : key === 'ArrowLeft' ? -1 : 0
    const next = systems.at((systems.indexOf(system) + by) % systems.length)
    if (by === 0 || next === undefined) return
    setSystem(next)
    currentTarget.querySelector<HTMLElement>(`[data-system=${next}]`)?.focus()
  }
  return (
    <div className="grid grid-cols-1 gap-1">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <p className="font-medium text-sm">Install command</p>
        <div role="tablist" aria-label="Operating system" className="flex rounded-lg bg-sunken p-0.5" onKeyDown={step}>
          {systems.map((each) => (
            <button
              key={each}
              type="button"
              role="tab"
              data-system={each}
              aria-selected={each === system}
              aria-controls={id}
              tabIndex={each === system ? 0 : -1}
              className={tabClass}
              onClick={() => setSystem(each)}
            >
              {words[each].name}
            </button>
          ))}
        </div>
      </div>
      <div id={id} role="tabpanel" aria-label={words[system].name} className="grid grid-cols-1 gap-1">
        <CopyText key={system} text={commands[system]} label="the install command" wrap />
        <p className="text-muted text-xs">
          {words[system].where} It installs, enrolls and starts the agent. You can run it again safely.
        </p>
        {system === 'windows' && (
          <p className="text-muted text-xs">
            For Group Policy and Intune, download the{' '}
            <a className="text-accent-text underline" href="/api/v1/agents/download/windows/x64?format=msi">
              MSI
            </a>
            , if it was published with the version.
          </p>
        )}
        {isMissing && (
          <p role="status" className="text-sm text-warn-text">
            No agent version for {words[system].name} is published, so the command fails. Publish one first.
          </p>
        )}
      </div>
    </div>
  )
}

const released = { linux: 'linux', windows: 'windows', macos: 'darwin' } as const satisfies Record<System, string>

/** Whether the newest release has no agent for this system. The install scripts download the newest. */
function useIsMissing(system: System): boolean {
  const newest = useApiQuery((client) => client.agentVersions.versions.list, { candidates: false, limit: 1 })
  if (!newest.data) return false
  return !newest.data.data.some(({ targets }) =>
    targets.some(({ os, kind }) => os === released[system] && kind === 'agent'),
  )
}
