import { SelectField } from './fields.tsx'

const overlaps = [
  [0, 'Not at all: it ends now'],
  [3_600, 'One hour'],
  [86_400, 'One day'],
  [604_800, 'One week'],
] as const

interface Props {
  readonly label: string
  /** In seconds. */
  readonly value: number
  choose(seconds: number): void
}

/** For how long a secret that is replaced stays good beside its successor. */
export const OverlapField = ({ label, value, choose }: Props) => (
  <SelectField label={label} value={value} onChange={({ target }) => choose(Number(target.value))}>
    {overlaps.map(([seconds, words]) => (
      <option key={seconds} value={seconds}>
        {words}
      </option>
    ))}
  </SelectField>
)
