"""Answers `afterstate bench nets --beside`: how fast PyTorch (eager) and ONNX Runtime are, with one thread.

A question is a line of JSON. One that has `tensors` brings a network: behind the line come its weights, 32-bit floats, and the same as
ONNX. The answer has the logits and the value that each program finds for `input`. Any other asks for positions per second of
processor time. Training is what `afterstate` counts as such: the gradients of a batch, without a step. With a `device`, all is there,
convolutions have 16 bits, planes and answers travel, and time is the clock's.
"""

import json
import sys
import time

import numpy as np
import onnxruntime
import torch
from torch import nn
from torch.nn.functional import log_softmax, relu


class Stem(nn.Module):
    def __init__(self, planes, filters):
        super().__init__()
        self.conv = nn.Conv2d(planes, filters, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(filters)

    def forward(self, x):
        return relu(self.norm(self.conv(x)))


class Block(nn.Module):
    def __init__(self, filters):
        super().__init__()
        self.conv1 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(filters)
        self.conv2 = nn.Conv2d(filters, filters, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(filters)

    def forward(self, x):
        return relu(x + self.norm2(self.conv2(relu(self.norm1(self.conv1(x))))))


class Policy(nn.Module):
    def __init__(self, filters, cells, moves):
        super().__init__()
        self.conv = nn.Conv2d(filters, 2, 1, bias=False)
        self.norm = nn.BatchNorm2d(2)
        self.linear = nn.Linear(2 * cells, moves)

    def forward(self, x):
        return self.linear(relu(self.norm(self.conv(x))).flatten(1))


class Value(nn.Module):
    def __init__(self, filters, cells, hidden):
        super().__init__()
        self.conv = nn.Conv2d(filters, 1, 1, bias=False)
        self.norm = nn.BatchNorm2d(1)
        self.hidden = nn.Linear(cells, hidden)
        self.output = nn.Linear(hidden, 1)

    def forward(self, x):
        return torch.tanh(self.output(relu(self.hidden(relu(self.norm(self.conv(x))).flatten(1)))))


class Network(nn.Module):
    def __init__(self, planes, height, width, moves, blocks, filters, hidden):
        super().__init__()
        self.shape, self.moves = (planes, height, width), moves
        self.stem = Stem(planes, filters)
        self.blocks = nn.Sequential(*(Block(filters) for _ in range(blocks)))
        self.policy = Policy(filters, height * width, moves)
        self.value = Value(filters, height * width, hidden)

    def forward(self, x):
        x = self.blocks(self.stem(x))
        return self.policy(x), self.value(x)


def load(question, stream):
    """The network of a question, and a session of ONNX Runtime with it."""
    network = Network(**question["architecture"])
    state, begin = network.state_dict(), 0
    weights = np.frombuffer(stream.read(4 * question["weights"]), dtype="<f4")
    for name, shape in question["tensors"]:
        end = begin + int(np.prod(shape))
        state[name].copy_(torch.from_numpy(weights[begin:end].reshape(shape).copy()))
        begin = end
    network.load_state_dict(state)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(stream.read(question["onnx"]), options, providers=["CPUExecutionProvider"])
    return network, session


def answers(network, session, values):
    """What both programs find for one input."""
    planes = np.array(values, dtype=np.float32).reshape(1, *network.shape)
    network.eval()
    with torch.inference_mode():
        eager = [output.flatten().tolist() for output in network(torch.from_numpy(planes))]
    runtime = [output.flatten().tolist() for output in session.run(["policy", "value"], {"planes": planes})]
    return {"pytorch": eager[0] + eager[1], "onnxruntime": runtime[0] + runtime[1]}


def piece(network, session, question):
    """The work of which the speed is asked."""
    batch = question["batch"]
    planes = np.full((batch, *network.shape), 0.5, dtype=np.float32)
    if question["program"] == "onnxruntime":
        return lambda: session.run(["policy", "value"], {"planes": planes})
    order = torch.channels_last if question["channels-last"] else torch.contiguous_format
    device = question.get("device", "cpu")
    half = device != "cpu"
    exact = question["what"] == "training" or not half
    network.to(device=device, dtype=torch.float32 if exact else torch.bfloat16, memory_format=order)
    host = torch.from_numpy(planes)

    def there():
        return host.to(device).to(network.stem.conv.weight.dtype).contiguous(memory_format=order)

    if question["what"] == "inference":
        network.eval()

        def answer():
            with torch.inference_mode():
                for output in network(there()):
                    output.cpu()

        return answer
    network.train()
    policies = torch.full((batch, network.moves), 1.0 / network.moves, device=device)
    outcomes = torch.zeros(batch, 1, device=device)

    def gradients():
        network.zero_grad(set_to_none=True)
        with torch.autocast("cuda", dtype=torch.bfloat16, enabled=half):
            logits, value = network(there())
        loss = (outcomes - value).square().mean() - (policies * log_softmax(logits, 1)).sum(1).mean()
        loss.backward()
        loss.item()

    return gradients


def rate(work, positions, seconds, clock):
    work()
    done, wall, begun = 0, time.monotonic(), clock()
    while done == 0 or time.monotonic() - wall < seconds:
        work()
        done += positions
    return done / max(clock() - begun, 1e-9)


def main():
    torch.set_num_threads(1)
    stream = sys.stdin.buffer
    network = session = None
    while line := stream.readline():
        question = json.loads(line)
        if "tensors" in question:
            network, session = load(question, stream)
            answer = answers(network, session, question["input"])
        else:
            work = piece(network, session, question)
            clock = time.monotonic if "device" in question else time.process_time
            answer = {"rate": rate(work, question["batch"], question["seconds"], clock)}
        print(json.dumps(answer), flush=True)


main()
