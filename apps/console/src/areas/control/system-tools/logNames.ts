import type { Device } from '@muster/areas/fleet/devices/devices.contract.ts'
import type { Api } from '../../../api.ts'
import type { OptionGroup } from '../../../ui/form/Select.tsx'
import { bytes } from '../../../ui/text/quantity.ts'

type Log = Awaited<ReturnType<Api['systemTools']['eventLogs']['list']['query']>>['logs'][number]
type Source = Log['source']

const sources: readonly Source[] = ['journal', 'channel', 'file']

/** What the operating system calls its event logs. */
function sourceWords(source: Source, osType: Device['osType']): string {
  if (source === 'file') return 'Log files'
  if (source === 'channel') return 'Windows event logs'
  return osType === 'macos' ? 'Unified log' : 'System journal'
}

/** The logs of a device by their type, each with its size where that is known. */
export const logGroups = (
  logs: readonly Pick<Log, 'name' | 'source' | 'sizeBytes'>[],
  osType: Device['osType'],
): OptionGroup<string>[] =>
  sources.flatMap((source) => {
    const options = logs
      .filter((log) => log.source === source)
      .map(({ name, sizeBytes }) => [name, sizeBytes === null ? name : `${name} (${bytes(sizeBytes)})`] as const)
    return options.length === 0 ? [] : [{ label: sourceWords(source, osType), options }]
  })
