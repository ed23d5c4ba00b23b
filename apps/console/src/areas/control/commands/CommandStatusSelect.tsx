import { CommandStatus } from '@muster/areas/control/commands/commands.contract.ts'
import { Select } from '../../../ui/form/Select.tsx'
import { commandStatusWords } from './CommandMark.tsx'

const options = CommandStatus.options.map((each) => [each, commandStatusWords[each]] as const)

/** The status that an address names; undefined for all. */
export const commandStatusOf = (text: string | undefined): CommandStatus | undefined =>
  CommandStatus.options.find((each) => each === text)

interface Props {
  readonly status: CommandStatus | undefined
  choose(status: CommandStatus | undefined): void
}

/** Narrows a list of commands by their status. */
export const CommandStatusSelect = ({ status, choose }: Props) => (
  <Select label="Status" none="All statuses" value={status} options={options} choose={choose} />
)
