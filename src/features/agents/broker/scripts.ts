/**
 * The decisions that the broker makes in one step. Every script first compares the identity of the server with that of the
 * server at which the run was opened: one that was restarted or promoted may have forgotten grants, and must grant nothing
 * more.
 */
const sameServer = `
local info = redis.call('INFO', 'server')
local server = string.match(info, 'run_id:(%x+)')
if redis.call('HGET', KEYS[1], 'server') ~= server then return -2 end
`;

/** Whether the agent holds its lease still. */
const leased = `
${sameServer}
local agent = ARGV[1]
local token = ARGV[2]
if redis.call('HGET', KEYS[1], 'token:' .. agent) ~= token then return -1 end
if redis.call('HGET', KEYS[1], 'revoked:' .. agent) then return -1 end
if redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
`;

/**
 * KEYS run coordinator streams...; ARGV leaseMs, lifeMs, fields of the run. 1, or 0 where there is such a run. The streams begin
 * empty: an agent only adds to one that exists, so that it cannot bring back what the end of the run has deleted.
 */
export const openScript: string = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 0 end
for index = 3, #KEYS do
  redis.call('XADD', KEYS[index], '0-1', 'd', '')
  redis.call('XDEL', KEYS[index], '0-1')
  redis.call('PEXPIRE', KEYS[index], ARGV[2])
end
local info = redis.call('INFO', 'server')
redis.call('HSET', KEYS[1], 'server', string.match(info, 'run_id:(%x+)'), unpack(ARGV, 3))
redis.call('PEXPIRE', KEYS[1], ARGV[2])
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
return 1
`;

/**
 * KEYS run coordinator up down spare held leases...; ARGV leaseMs, lifeMs. Milliseconds that each lease has left; -2 for another
 * server. All that a killed coordinator leaves is forgotten after lifeMs.
 */
export const beatScript: string = `
${sameServer}
if redis.call('EXISTS', KEYS[2]) == 0 then return -1 end
redis.call('SET', KEYS[2], 1, 'PX', ARGV[1])
for _, index in ipairs({ 1, 3, 4, 5, 6 }) do redis.call('PEXPIRE', KEYS[index], ARGV[2]) end
local left = {}
for index = 7, #KEYS do left[#left + 1] = redis.call('PTTL', KEYS[index]) end
return left
`;

/** KEYS run lease coordinator; ARGV agent, token, leaseMs. Milliseconds granted; -1 when somebody has claimed it before. */
export const claimScript: string = `
${sameServer}
local left = redis.call('PTTL', KEYS[3])
if left <= 0 or redis.call('HGET', KEYS[1], 'state') ~= 'open' then return -1 end
if redis.call('HSETNX', KEYS[1], 'token:' .. ARGV[1], ARGV[2]) == 0 then return -1 end
local granted = math.min(tonumber(ARGV[3]), left)
redis.call('SET', KEYS[2], ARGV[2], 'PX', granted)
return granted
`;

/** KEYS run lease coordinator; ARGV agent, token, leaseMs. Milliseconds granted from now on; a lease that ran out is never renewed. */
export const renewScript: string = `
${leased}
local left = redis.call('PTTL', KEYS[3])
if left <= 0 then return -1 end
local granted = math.min(tonumber(ARGV[3]), left)
redis.call('SET', KEYS[2], token, 'PX', granted)
return granted
`;

/**
 * KEYS run lease; ARGV agent, token, and of requests, tokens and billionths of a dollar in turn the least that helps and what is
 * wanted. Three amounts, '' where there is no bound; 0 when one of them is used up, and then nothing was taken.
 */
export const drawScript: string = `
${leased}
local names = { 'requests', 'tokens', 'nanoUsd' }
local grants = {}
for index, name in ipairs(names) do
  local bound = redis.call('HGET', KEYS[1], 'bound:' .. name)
  if bound then
    local free = tonumber(bound) - tonumber(redis.call('HGET', KEYS[1], 'taken:' .. name) or '0')
    local least = tonumber(ARGV[1 + 2 * index])
    local grant = math.min(tonumber(ARGV[2 + 2 * index]), free)
    if grant < least then return 0 end
    grants[index] = string.format('%.0f', math.max(0, grant))
  else
    grants[index] = ''
  end
end
for index, name in ipairs(names) do
  if grants[index] ~= '' then
    redis.call('HINCRBY', KEYS[1], 'taken:' .. name, grants[index])
    redis.call('HINCRBY', KEYS[1], 'drawn:' .. agent .. ':' .. name, grants[index])
  end
end
return grants
`;

/** KEYS run lease; ARGV agent, token, three amounts. Gives back once, at the end of a share. */
export const returnScript: string = `
${leased}
if redis.call('HSETNX', KEYS[1], 'returned:' .. agent, 1) == 0 then return 0 end
for index, name in ipairs({ 'requests', 'tokens', 'nanoUsd' }) do
  local drawn = tonumber(redis.call('HGET', KEYS[1], 'drawn:' .. agent .. ':' .. name) or '0')
  local back = math.min(tonumber(ARGV[2 + index]), drawn)
  if back > 0 then
    local less = '-' .. string.format('%.0f', back)
    redis.call('HINCRBY', KEYS[1], 'taken:' .. name, less)
    redis.call('HINCRBY', KEYS[1], 'drawn:' .. agent .. ':' .. name, less)
  end
end
return 1
`;

/**
 * KEYS run; ARGV agent. The amounts that it was granted and has not given back; -2 for another server, which may have
 * forgotten.
 */
export const drawnScript: string = `
${sameServer}
local drawn = {}
for index, name in ipairs({ 'requests', 'tokens', 'nanoUsd' }) do
  drawn[index] = redis.call('HGET', KEYS[1], 'drawn:' .. ARGV[1] .. ':' .. name) or '0'
end
return drawn
`;

/** KEYS run lease spare held; ARGV agent, token. A place that was free, or 0. */
export const borrowScript: string = `
${leased}
local place = redis.call('SPOP', KEYS[3])
if not place then return 0 end
redis.call('HSET', KEYS[4], place, token)
return place
`;

/** KEYS run lease spare held; ARGV agent, token, place. A place can be given back by its holder only, and once. */
export const giveBackScript: string = `
${leased}
if redis.call('HGET', KEYS[4], ARGV[3]) ~= token then return 0 end
redis.call('HDEL', KEYS[4], ARGV[3])
redis.call('SADD', KEYS[3], ARGV[3])
return 1
`;
