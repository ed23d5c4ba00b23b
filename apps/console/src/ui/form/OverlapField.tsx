import { SelectField } from './fields.tsx'

const overlaps = [
  [0, 'Revoke immediately'],
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

/** How long a rotated secret stays valid beside its successor. */
export const OverlapField = ({ label, value, choose }: Props) => (
  <SelectField label={label} value={value} onChange={({ target }) => choose(Number(target.value))}>
    {overlaps.map(([seconds, words]) => (
      <option key={seconds} value={seconds}>
        {words}
      </option>
    ))}
  </SelectField>
)
