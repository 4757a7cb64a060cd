// Drives a GTP engine through 20 games against GNU Go, with the library that is inside Sabaki, and gives
// it undo, loadsgf and wrong commands in between. Any protocol error fails the run.
//
//   npm ci && node run.mjs PATH/TO/afterstate            runs `afterstate gtp --agent random`
//   node run.mjs PATH/TO/ENGINE -- [ARGUMENT …]          runs any other engine

import assert from 'node:assert/strict'
import {existsSync, mkdtempSync, rmSync, writeFileSync} from 'node:fs'
import {tmpdir} from 'node:os'
import {delimiter, join} from 'node:path'
import gtp from '@sabaki/gtp'

const {Controller, ControllerStateTracker} = gtp

const GAMES = 20
const SIZE = 9
const KOMI = 7.5
const MOST_MOVES = 160
const PATIENCE = 60_000 // Milliseconds for one answer; only a hang takes as long.

const [engine, separator, ...given] = process.argv.slice(2)
if (engine == null) {
  console.error('usage: node run.mjs PATH/TO/afterstate | PATH/TO/ENGINE -- [ARGUMENT …]')
  process.exit(2)
}
const args = separator === '--' ? given : ['gtp', '--agent', 'random']

const gnugo = [...(process.env.PATH ?? '').split(delimiter), '/usr/games']
  .map(folder => join(folder, 'gnugo'))
  .find(existsSync)
if (gnugo == null) {
  if (process.env.AFTERSTATE_REQUIRE_ENGINES === '1') {
    console.error('gnugo is not installed, and AFTERSTATE_REQUIRE_ENGINES=1')
    process.exit(1)
  }
  console.log('left out: sabaki: gnugo is not installed')
  process.exit(0)
}

const WRONG = [
  ['fly'],
  ['play'],
  ['play', 'b'],
  ['play', 'green', 'A1'],
  ['play', 'b', 'Z1'],
  ['play', 'b', 'I5'],
  ['play', 'w', 'A99999999999999999999'],
  ['genmove'],
  ['genmove', 'q'],
  ['boardsize', '4'],
  ['boardsize', 'nine'],
  ['komi', 'lots'],
  ['loadsgf', '/no/such/file.sgf'],
  ['known_command'],
  ['time_settings', '1'],
  ['time_left', 'b', 'x', '1'],
  ['fixed_handicap', '1'],
  ['final_status_list', 'sleepy'],
  ['kgs-time_settings', 'hourglass'],
  ['%$!§', '☃'],
  ['Genmove', 'b']
]

const count = {commands: 0, wrong: 0, undone: 0, loaded: 0, synced: 0, moves: 0}
const folder = mkdtempSync(join(tmpdir(), 'afterstate-sabaki-'))

class Engine {
  constructor(path, args) {
    this.controller = new Controller(path, args)
    this.errors = []
    this.controller.on('stderr', ({content}) => this.errors.push(content))
    this.controller.on('stopped', () => (this.stopped = true))
    this.controller.start()
    this.id = 0
  }

  async send(name, ...args) {
    const command = {id: this.id++ % 3 === 0 ? null : this.id, name, args: args.map(String)}
    const line = [name, ...args].join(' ')
    assert(!this.stopped, `the engine had stopped before '${line}': ${this.errors.slice(-5).join(' | ')}`)
    let timer
    const patience = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`no answer to '${line}'`)), PATIENCE)
    })
    const response = await Promise.race([this.controller.sendCommand(command), patience])
    clearTimeout(timer)
    count.commands += 1
    assert.equal(response.id, command.id, `the id of '${line}'`)
    return response
  }

  async ask(name, ...args) {
    const {error, content} = await this.send(name, ...args)
    assert(!error, `'${[name, ...args].join(' ')}' was refused: ${content}`)
    return content.trim()
  }

  async refuses(name, ...args) {
    const {error, content} = await this.send(name, ...args)
    assert(error, `'${[name, ...args].join(' ')}' should be refused, but got: ${content}`)
    assert(content.trim().length > 0, `'${name}' was refused without a reason`)
    count.wrong += 1
  }
}

const ours = new Engine(engine, args)
const tracker = new ControllerStateTracker(ours.controller)
const theirs = new Engine(gnugo, ['--mode', 'gtp', '--level', '1', '--chinese-rules', '--positional-superko'])

/** The position as GNU Go sees it is the one that we see. */
async function compare(where) {
  const points = text => text.split(/\s+/).filter(Boolean).sort()
  const here = points(await ours.ask('final_status_list', 'alive'))
  const there = points(`${await theirs.ask('list_stones', 'black')} ${await theirs.ask('list_stones', 'white')}`)
  assert.deepEqual(here, there, `stones after ${where}`)
}

const sgfPoint = vertex => {
  if (vertex.toLowerCase() === 'pass') return ''
  const column = 'ABCDEFGHJ'.indexOf(vertex[0].toUpperCase())
  return String.fromCharCode(97 + column) + String.fromCharCode(97 + SIZE - Number(vertex.slice(1)))
}

function sgf(history) {
  const moves = history.map(([color, vertex]) => `;${color.toUpperCase()}[${sgfPoint(vertex)}]`)
  return `(;GM[1]FF[4]SZ[${SIZE}]KM[${KOMI}]${moves.join('')})\n`
}

async function disturb(number, history) {
  const board = await ours.ask('showboard')
  for (let i = 0; i < 4; i++) await ours.refuses(...WRONG[(number * 4 + i) % WRONG.length])
  if (history.length > 0 && history.at(-1)[1] !== 'pass') {
    await ours.refuses('play', 'b', history.at(-1)[1])
  }
  const back = Math.min(1 + (number % 4), history.length)
  for (let i = 0; i < back; i++) await ours.ask('undo')
  for (const [color, vertex] of history.slice(history.length - back)) await ours.ask('play', color, vertex)
  count.undone += back
  assert.equal(await ours.ask('showboard'), board, 'the board after undo and play')
}

async function reload(game, history) {
  const file = join(folder, `game-${game}.sgf`)
  writeFileSync(file, sgf(history))
  const board = await ours.ask('showboard')
  const half = Math.floor(history.length / 2)
  // A move number is that of the move which comes next.
  await ours.ask('loadsgf', file, half + 1)
  for (const [color, vertex] of history.slice(half)) await ours.ask('play', color, vertex)
  assert.equal(await ours.ask('showboard'), board, 'the board after loadsgf with a move number')
  await ours.ask('loadsgf', file)
  assert.equal(await ours.ask('showboard'), board, 'the board after loadsgf')
  count.loaded += 2
}

async function synchronise(history) {
  const state = plays => ({
    komi: KOMI,
    boardsize: [SIZE, SIZE],
    history: plays.map(([color, vertex]) => ({name: 'play', args: [color.toUpperCase(), vertex]}))
  })
  const board = await ours.ask('showboard')
  for (const length of [history.length, history.length - 2, history.length]) {
    await tracker.sync(state(history.slice(0, Math.max(length, 0))))
    count.synced += 1
  }
  assert.equal(await ours.ask('showboard'), board, "the board after Sabaki's own synchronisation")
}

async function play(game) {
  for (const side of [ours, theirs]) {
    await side.ask('boardsize', SIZE)
    await side.ask('clear_board')
    await side.ask('komi', KOMI)
  }
  const history = []
  const ourColor = game % 2 === 0 ? 'b' : 'w'
  let [color, passes] = ['b', 0]
  while (passes < 2 && history.length < MOST_MOVES) {
    const [mover, other] = color === ourColor ? [ours, theirs] : [theirs, ours]
    const vertex = (await mover.ask('genmove', color)).toUpperCase().replace('PASS', 'pass')
    if (vertex === 'RESIGN') break
    await other.ask('play', color, vertex)
    history.push([color, vertex])
    count.moves += 1
    passes = vertex === 'pass' ? passes + 1 : 0
    color = color === 'b' ? 'w' : 'b'
    if (history.length % 11 === 5) await disturb(game + history.length, history)
    if (history.length === 40) {
      await synchronise(history)
      await reload(game, history)
    }
    if (history.length % 20 === 0) await compare(`move ${history.length} of game ${game + 1}`)
  }
  await compare(`game ${game + 1}`)
  await reload(game, history)
  const score = await ours.ask('final_score')
  assert.match(score, /^(0|[BW]\+\d+(\.\d)?)$/)
  console.log(`game ${game + 1}: ${history.length} moves, we are ${ourColor}, ${score}`)
}

try {
  assert.equal(await ours.ask('protocol_version'), '2')
  const commands = (await ours.ask('list_commands')).split('\n').map(name => name.trim())
  assert.equal(new Set(commands).size, commands.length, 'list_commands names something twice')
  for (const name of commands) assert.equal(await ours.ask('known_command', name), 'true', name)
  console.log(`${await ours.ask('name')} ${await ours.ask('version')} knows ${commands.length} commands`)
  for (let game = 0; game < GAMES; game++) await play(game)
  for (const side of [ours, theirs]) {
    await side.controller.stop()
    assert(side.stopped, 'quit ends the engine')
  }
  assert.deepEqual(ours.errors, [], 'nothing on the error output')
  console.log(
    `${GAMES} games without a protocol error: ${count.moves} moves, ${count.commands} commands, ` +
      `${count.wrong} wrong ones refused, ${count.undone} moves undone, ${count.loaded} files loaded, ` +
      `${count.synced} synchronisations`
  )
} catch (error) {
  console.error(`protocol error: ${error.message}`)
  process.exitCode = 1
  for (const side of [ours, theirs]) await side.controller.kill()
} finally {
  rmSync(folder, {recursive: true, force: true})
}
