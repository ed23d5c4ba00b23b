import type { ComponentProps } from 'react'
import { SelectField } from './fields.tsx'
import { OptionList } from './Select.tsx'

interface Props<Value extends string>
  extends Pick<ComponentProps<typeof SelectField>, 'label' | 'hint' | 'error' | 'optional' | 'disabled'> {
  readonly value: Value
  readonly options: readonly (readonly [Value, string])[]
  choose(value: Value): void
}

/** A choice among named values, with its label. */
export function ChoiceField<Value extends string>({ options, choose, ...field }: Props<Value>) {
  const take = (text: string) => {
    const found = options.find(([value]) => value === text)
    if (found) choose(found[0])
  }
  return (
    <SelectField {...field} onChange={({ target }) => take(target.value)}>
      <OptionList options={options} />
    </SelectField>
  )
}
