import type { CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { Badge, type Tone } from '../../../ui/page/display.tsx'

const tones: Record<CommandStatus, Tone> = {
  pending: 'plain',
  sent: 'info',
  running: 'info',
  completed: 'good',
  failed: 'bad',
  timed_out: 'bad',
  cancelled: 'warn',
  expired: 'warn',
}
export const commandStatusWords: Record<CommandStatus, string> = {
  pending: 'Queued',
  sent: 'Sent',
  running: 'Running',
  completed: 'Succeeded',
  failed: 'Failed',
  timed_out: 'Timed out',
  cancelled: 'Canceled',
  expired: 'Expired',
}

/** The status of a command. */
export const CommandMark = ({ status }: { readonly status: CommandStatus }) => (
  <Badge tone={tones[status]}>{commandStatusWords[status]}</Badge>
)

/** The type of a command in words: those of the button that sends it. */
export const commandWords = (type: string) =>
  type === 'reboot' ? 'Restart' : (type.charAt(0).toUpperCase() + type.slice(1)).replaceAll('_', ' ')
