import { conditionDepthMax, conditionLeavesMax } from '@muster/areas/watch/alerts/rules/conditions.contract.ts'
import { X } from 'lucide-react'
import { IconButton } from '../../../ui/button/Button.tsx'
import { ChoiceField } from '../../../ui/form/ChoiceField.tsx'
import { ConditionGroup } from '../../../ui/form/ConditionGroup.tsx'
import { TextField } from '../../../ui/form/fields.tsx'
import { isTree, type Leaf, newLeaf, newTree, type Tree } from './conditionDraft.ts'
import { aggregateOptions, metricOptions, operatorOptions } from './kinds.ts'

interface Props {
  readonly tree: Tree
  /** The id of the list of parameters. */
  readonly list: string
  change(tree: Tree): void
}
const kinds = [
  ['all', 'Match all'],
  ['any', 'Match any'],
] as const

const leavesIn = (part: Leaf | Tree): number =>
  isTree(part) ? part.parts.reduce((sum, each) => sum + leavesIn(each), 0) : 1

/** Conditions on metrics, in groups within each other. */
export function MetricTreeEditor({ tree, list, change }: Props) {
  return <GroupEditor tree={tree} list={list} depth={1} isFull={leavesIn(tree) >= conditionLeavesMax} change={change} />
}

interface GroupProps extends Props {
  readonly depth: number
  readonly isFull: boolean
  remove?(): void
}
function GroupEditor({ tree, list, depth, isFull, change, remove }: GroupProps) {
  const { parts } = tree
  const set = (next: readonly (Leaf | Tree)[]) => change({ ...tree, parts: next })
  const replace = (part: Leaf | Tree) => set(parts.map((each) => (each.id === part.id ? part : each)))
  const without = (part: Leaf | Tree) => () => set(parts.filter(({ id }) => id !== part.id))
  return (
    <ConditionGroup
      label={depth === 1 ? 'Metrics' : 'Group of metrics'}
      isInner={depth > 1}
      kind={tree.kind}
      kinds={kinds}
      full={isFull && `A rule has at most ${conditionLeavesMax} conditions`}
      isDeepest={depth >= conditionDepthMax}
      match={(kind) => change({ ...tree, kind })}
      addCondition={() => set([...parts, newLeaf()])}
      addGroup={() => set([...parts, { ...newTree(), kind: 'any' }])}
      remove={remove}
    >
      {parts.map((part, index) =>
        isTree(part) ? (
          <GroupEditor
            key={part.id}
            tree={part}
            list={list}
            depth={depth + 1}
            isFull={isFull}
            change={replace}
            remove={without(part)}
          />
        ) : (
          <LeafEditor
            key={part.id}
            leaf={part}
            list={list}
            number={index + 1}
            change={replace}
            {...((parts.length > 1 || depth > 1) && { remove: without(part) })}
          />
        ),
      )}
    </ConditionGroup>
  )
}

interface LeafProps {
  readonly leaf: Leaf
  readonly list: string
  readonly number: number
  change(leaf: Leaf): void
  remove?(): void
}
function LeafEditor({ leaf, list, number, change, remove }: LeafProps) {
  const choice = (
    name: 'metric' | 'operator' | 'aggregate',
    label: string,
    options: readonly (readonly [string, string])[],
  ) => (
    <ChoiceField
      label={label}
      value={leaf[name]}
      options={options}
      choose={(chosen) => change({ ...leaf, [name]: chosen })}
    />
  )
  const figure = (name: 'threshold' | 'clearThreshold' | 'windowSeconds', label: string, optional = false) => (
    <TextField
      label={label}
      optional={optional}
      inputMode="decimal"
      autoComplete="off"
      list={list}
      value={leaf[name]}
      onChange={({ target }) => change({ ...leaf, [name]: target.value })}
    />
  )
  return (
    <fieldset aria-label={`Condition ${number}`} className="flex min-w-0 items-start gap-2">
      <div className="grid min-w-0 flex-1 gap-3 sm:grid-cols-3">
        {choice('metric', 'Metric', metricOptions)}
        {choice('operator', 'Comparison', operatorOptions)}
        {figure('threshold', 'Threshold')}
        {choice('aggregate', 'Value', aggregateOptions)}
        {figure('windowSeconds', 'Window (seconds)', true)}
        {figure('clearThreshold', 'Clears at', true)}
      </div>
      {remove && (
        <IconButton small label={`Remove condition ${number}`} onClick={remove}>
          <X aria-hidden className="size-4" />
        </IconButton>
      )}
    </fieldset>
  )
}
